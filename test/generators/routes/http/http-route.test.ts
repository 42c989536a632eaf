import test from 'ava';
import { frameResource } from '../../../../src/envoy/message-encoder.js';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import type { Route } from '../../../../src/generated/envoy/config/route/v3/Route.js';
import { OUTBOUND_CLUSTERS } from '../../../../src/generators/destination-names.js';
import { buildHttpRoute } from '../../../../src/generators/routes/http/http-route.js';
import { destinationOf } from '../../../../src/model/traffic/destination.js';
import type { HttpAction } from '../../../../src/model/traffic/http-action.js';
import { EVERY_REQUEST } from '../../../../src/model/traffic/http-match.js';
import type { HttpRoute } from '../../../../src/model/traffic/http-route.js';
import { findEnvoy } from '../../../counterparts/find-envoy.js';
import fc from '../../../support/property-testing.js';
import { validateWithEnvoy } from '../../envoy-verdict.js';
import { ENCODER } from '../../served-resources.js';
import { arbitraryRoute } from './arbitrary-route.js';

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const binary = 'value' in envoy ? envoy.value : undefined;
const envoyTest = binary === undefined ? test.skip : test;

const WEB = destinationOf({ hostname: 'web.shop.svc.cluster.local' }, 80);
const CANARY = { ...WEB, subset: { name: 'canary', labels: { version: '2' } } };
const forwardTo = (fields: object = {}): HttpAction => ({
  type: 'forward',
  destinations: [{ ...WEB, weight: 1 }],
  timeoutMs: 0,
  ...fields,
});
const built = (fields: Partial<HttpRoute>): Route =>
  buildHttpRoute(ENCODER, { name: 'r', match: EVERY_REQUEST, action: forwardTo(), ...fields }, OUTBOUND_CLUSTERS);

const WHOLE = 'outbound|80||web.shop.svc.cluster.local';
const PART = 'outbound|80|canary|web.shop.svc.cluster.local';

test('several destinations share requests by weight, each with headers of its own', (t) => {
  const destinations = [
    { ...WEB, weight: 90 },
    { ...CANARY, weight: 10, headers: { response: { set: { 'x-version': '2' } } } },
  ];
  t.deepEqual(built({ action: forwardTo({ destinations }) }).route?.weightedClusters, {
    clusters: [
      { name: WHOLE, weight: { value: 90 } },
      {
        name: PART,
        weight: { value: 10 },
        responseHeadersToAdd: [
          { header: { key: 'x-version', value: '2' }, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' },
        ],
      },
    ],
  });
});

test('one destination with headers of its own keeps them', (t) => {
  const destinations = [{ ...CANARY, weight: 5, headers: { request: { remove: ['x-secret'] } } }];
  t.deepEqual(built({ action: forwardTo({ destinations }) }).route?.weightedClusters?.clusters, [
    { name: PART, weight: { value: 5 }, requestHeadersToRemove: ['x-secret'] },
  ]);
});

test('a route with a timeout says nothing about the duration of streams, beside which Envoy ignores the timeout', (t) => {
  const action = built({ action: forwardTo({ timeoutMs: 1500 }) }).route;
  t.deepEqual(action?.timeout, { seconds: 1, nanos: 500_000_000 });
  t.is(action?.maxStreamDuration, undefined);
});

test('retries name their conditions, and choose other hosts only where that is asked for', (t) => {
  const retries = { conditions: ['5xx', 'reset'], attempts: 3, perTryTimeoutMs: 2000 };
  t.deepEqual(built({ action: forwardTo({ retries }) }).route?.retryPolicy, {
    retryOn: '5xx,reset',
    numRetries: { value: 3 },
    retriableStatusCodes: [],
    perTryTimeout: { seconds: 2 },
  });
  const others = built({ action: forwardTo({ retries: { ...retries, otherHostAttempts: 5 } }) }).route?.retryPolicy;
  t.is(others?.retryHostPredicate?.[0]?.name, 'envoy.retry_host_predicates.previous_hosts');
  t.is(others?.hostSelectionRetryMaxAttempts, 5);
});

for (const [hashKey, expected] of [
  [{ type: 'header', name: 'x-user' }, { header: { headerName: 'x-user' } }],
  [{ type: 'queryParameter', name: 'id' }, { queryParameter: { name: 'id' } }],
  [{ type: 'cookie', name: 'c', path: '/', lifetimeMs: 0 }, { cookie: { name: 'c', path: '/', ttl: { seconds: 0 } } }],
  [{ type: 'sourceAddress' }, { connectionProperties: { sourceIp: true } }],
] as const) {
  test(`a route chooses the endpoint by the hash key ${hashKey.type}`, (t) => {
    t.deepEqual(built({ action: forwardTo({ hashKey }) }).route?.hashPolicy, [expected]);
  });
}

test('a mirror gets its share of the requests', (t) => {
  t.deepEqual(
    built({ action: forwardTo({ mirrors: [{ destination: CANARY, percent: 0.5 }] }) }).route?.requestMirrorPolicies,
    [{ cluster: PART, runtimeFraction: { defaultValue: { numerator: 5_000, denominator: 'MILLION' } } }],
  );
});

test('a rewrite replaces the prefix that matched, or the whole path of a regex', (t) => {
  const action = forwardTo({ rewrite: { path: '/new\\1', authority: 'api.example.com' } });
  t.like(built({ match: { path: { type: 'prefix', value: '/old' } }, action }).route, {
    prefixRewrite: '/new\\1',
    hostRewriteLiteral: 'api.example.com',
  });
  t.deepEqual(built({ match: { path: { type: 'regex', value: '/o.*' } }, action }).route?.regexRewrite, {
    pattern: { regex: '/o.*' },
    // Not a reference to a group.
    substitution: '/new\\\\1',
  });
});

test('conditions on scheme, method and authority are those on pseudo headers', (t) => {
  const match = {
    path: { type: 'exact', value: '/a', ignoreCase: true },
    scheme: { type: 'exact', value: 'https' },
    method: { type: 'regex', value: 'GET|HEAD' },
    authority: { type: 'prefix', value: 'api.' },
    headers: [{ name: 'x-user' }, { name: 'x-bot', value: { type: 'exact', value: 'yes' }, isNegated: true }],
    queryParameters: [{ name: 'debug' }, { name: 'v', value: { type: 'exact', value: '2' } }],
  } as const;
  t.deepEqual(built({ match }).match, {
    path: '/a',
    caseSensitive: { value: false },
    headers: [
      { name: ':scheme', stringMatch: { exact: 'https' } },
      { name: ':method', stringMatch: { safeRegex: { regex: 'GET|HEAD' } } },
      { name: ':authority', stringMatch: { prefix: 'api.' } },
      { name: 'x-user', presentMatch: true },
      { name: 'x-bot', stringMatch: { exact: 'yes' }, invertMatch: true },
    ],
    queryParameters: [
      { name: 'debug', presentMatch: true },
      { name: 'v', stringMatch: { exact: '2' } },
    ],
  });
});

test('a redirect changes the fields that it names', (t) => {
  t.deepEqual(built({ action: { type: 'redirect', status: 308, scheme: 'https' } }).redirect, {
    responseCode: 'PERMANENT_REDIRECT',
    schemeRedirect: 'https',
  });
});

test('a route can answer by itself', (t) => {
  t.deepEqual(built({ action: { type: 'respond', status: 404, body: 'gone' } }).directResponse, {
    status: 404,
    body: { inlineString: 'gone' },
  });
});

envoyTest('Envoy takes every route that the traffic model can express', async (t) => {
  const routes = fc.sample(arbitraryRoute, 300);
  const message = ENCODER.encode(TypeUrl.route, {
    name: 'table',
    virtualHosts: [
      { name: 'all', domains: ['*'], routes: routes.map((route) => buildHttpRoute(ENCODER, route, OUTBOUND_CLUSTERS)) },
    ],
    validateClusters: { value: false },
  });
  const served = { clusters: [], listeners: [], routes: [frameResource(TypeUrl.route, 'table', message)] };
  await t.notThrowsAsync(validateWithEnvoy(binary ?? '', ENCODER, served));
});
