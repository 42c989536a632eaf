import test from 'ava';
import type { Route } from '../../../src/generated/envoy/config/route/v3/Route.js';
import { planDestinations } from '../../../src/generators/plugins/route-destinations.js';
import type { RoutePlan } from '../../../src/generators/plugins/route-plan.js';
import { destinationOf } from '../../../src/model/traffic/destination.js';
import type { HttpAction } from '../../../src/model/traffic/http-action.js';
import type { HttpRoute } from '../../../src/model/traffic/http-route.js';
import { buildService } from '../context-builder.js';

const SERVICES = new Map(['a', 'b'].map((hostname) => [hostname, buildService({ hostname })]));

/** Names the service in a header. */
const PLAN: RoutePlan = {
  key: '',
  keyOf: (service) => `plan of ${service?.hostname}`,
  fieldsFor: (service) => ({
    requestHeadersToAdd: [{ header: { key: 'x-service', value: service?.hostname ?? 'none' } }],
  }),
};
const plan = planDestinations(PLAN, (hostname) => SERVICES.get(hostname));

const routeTo = (action: HttpAction): HttpRoute => ({
  name: 'r',
  match: { path: { type: 'prefix', value: '/' } },
  action,
});
const forward = (...hostnames: readonly string[]) =>
  routeTo({
    type: 'forward',
    destinations: hostnames.map((hostname) => ({ ...destinationOf({ hostname }, 80), weight: 1 })),
    timeoutMs: 0,
  });
const OWN_HEADER = [{ header: { key: 'x-own', value: '1' } }];
const weighted = (...names: readonly string[]): Route => ({
  route: { weightedClusters: { clusters: names.map((name) => ({ name, requestHeadersToAdd: OWN_HEADER })) } },
});

const headersOf = ({ requestHeadersToAdd = [] }: Pick<Route, 'requestHeadersToAdd'>) =>
  requestHeadersToAdd.map(({ header }) => `${header?.key}: ${header?.value}`);

test('a route has the additions of the service that it leads to, whatever its host is', (t) => {
  t.deepEqual(headersOf(plan.addTo({}, forward('b'))), ['x-service: b']);
  t.deepEqual(headersOf(plan.addTo({ requestHeadersToAdd: OWN_HEADER }, forward('a'))), ['x-own: 1', 'x-service: a']);
});

test('subsets of one service share the additions of the route', (t) => {
  const fields = plan.addTo(weighted('a|v1', 'a|v2'), forward('a', 'a'));
  t.deepEqual(headersOf(fields), ['x-service: a']);
  t.deepEqual(fields.route, weighted('a|v1', 'a|v2').route);
});

test('each weighted destination has the additions of its own service', (t) => {
  const fields = plan.addTo(weighted('a', 'b', 'c'), forward('a', 'b', 'c'));
  t.deepEqual(headersOf(fields), []);
  t.deepEqual(fields.route?.weightedClusters?.clusters?.map(headersOf), [
    ['x-own: 1', 'x-service: a'],
    ['x-own: 1', 'x-service: b'],
    ['x-own: 1', 'x-service: none'],
  ]);
});

test('a route without a destination has the additions of an unknown service', (t) => {
  t.deepEqual(headersOf(plan.addTo({}, routeTo({ type: 'passThrough' }))), ['x-service: none']);
  t.deepEqual(headersOf(plan.addTo({}, routeTo({ type: 'redirect', status: 301 }))), ['x-service: none']);
});

test('the key of a virtual host changes with the destinations of its routes and their services', (t) => {
  const keyOf = (...routes: readonly HttpRoute[]) => plan.keyOf({ name: 'h', routes });
  t.is(keyOf(forward('a')), keyOf(forward('a', 'a')));
  t.not(keyOf(forward('a')), keyOf(forward('b')));
  t.not(keyOf(forward('a')), keyOf(forward('a', 'b')));
  const moved = buildService({ hostname: 'a', namespace: 'elsewhere' });
  const other = planDestinations(PLAN, (hostname) => (hostname === 'a' ? moved : undefined));
  t.not(other.keyOf({ name: 'h', routes: [forward('a')] }), keyOf(forward('a')));
});
