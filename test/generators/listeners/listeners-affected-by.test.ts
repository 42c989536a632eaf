import test from 'ava';
import { listenersAffectedBy, routesAffectedBy } from '../../../src/generators/affected-by.js';
import type { PushRequest } from '../../../src/model/push-request.js';
import { buildContext, buildService } from '../context-builder.js';

const request = (fields: Partial<PushRequest>): PushRequest => ({
  full: true,
  changed: new Set(),
  endpoints: new Set(),
  addresses: new Set(),
  reasons: [],
  startMs: 0,
  ...fields,
});
const headless = buildService({ name: 'db', headless: true, addresses: [], resolution: 'passthrough' });
const context = buildContext({ services: [buildService(), headless] });

test('endpoints concern listeners where the service is headless, and routes never', (t) => {
  const plain = request({ full: false, endpoints: new Set(['web.default.svc.cluster.local']) });
  const ofPods = request({ full: false, endpoints: new Set(['db.default.svc.cluster.local']) });
  t.false(listenersAffectedBy(plain, 'sidecar', context));
  t.true(listenersAffectedBy(ofPods, 'sidecar', context));
  t.true(listenersAffectedBy(plain, 'sidecar'), 'without a snapshot nothing is provable');
  t.false(routesAffectedBy(ofPods, 'sidecar'));
});

test('endpoints affect listeners even if only some namespaces see the headless service', (t) => {
  const own = { ...headless, hostname: 'web.default.svc.cluster.local', namespace: 'team' };
  const shadowing = buildContext({ services: [buildService()], shadowed: [own] });
  const change = request({ full: false, endpoints: new Set([own.hostname]) });
  t.true(listenersAffectedBy(change, 'sidecar', shadowing));
});

const KINDS: readonly (readonly [kind: string, listeners: boolean, routes: boolean])[] = [
  ['Service', true, true],
  ['ServiceEntry', true, true],
  ['VirtualService', true, true],
  ['DestinationRule', true, true],
  ['Sidecar', true, true],
  ['EnvoyFilter', true, true],
  ['QuotaSpec', false, false],
  ['QuotaSpecBinding', false, false],
  ['HTTPAPISpec', false, false],
  ['HTTPAPISpecBinding', false, false],
  ['AuthorizationPolicy', true, false],
  ['RequestAuthentication', true, false],
  ['PeerAuthentication', true, false],
  ['Gateway', false, false],
  ['EndpointSlice', false, false],
  ['Node', false, false],
  ['SomethingNew', true, true],
];

for (const [kind, listeners, routes] of KINDS) {
  test(`a changed ${kind} concerns a sidecar's listeners: ${listeners}, routes: ${routes}`, (t) => {
    const change = request({ changed: new Set([`${kind}/default/it`]) });
    t.is(listenersAffectedBy(change, 'sidecar', context), listeners);
    t.is(routesAffectedBy(change, 'sidecar'), routes);
  });
}

test('a change that cannot be pinned down concerns sidecars and routers', (t) => {
  const change = request({ changed: 'everything' });
  for (const type of ['sidecar', 'router'] as const) {
    t.true(listenersAffectedBy(change, type, context));
    t.true(routesAffectedBy(change, type));
  }
});

test('a Gateway concerns the listeners and routes of routers only, and a Sidecar those of sidecars', (t) => {
  const of = (kind: string, type: 'sidecar' | 'router') => {
    const change = request({ changed: new Set([`${kind}/default/it`]) });
    return [listenersAffectedBy(change, type, context), routesAffectedBy(change, type)];
  };
  t.deepEqual(of('Gateway', 'router'), [true, true]);
  t.deepEqual(of('Gateway', 'sidecar'), [false, false]);
  t.deepEqual(of('Sidecar', 'router'), [false, false]);
});
