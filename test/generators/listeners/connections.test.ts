import test from 'ava';
import { composeListener, encodeFilterChain } from '../../../src/envoy/listener-bytes.js';
import { tlsInspectorFilter } from '../../../src/envoy/listener-filters.js';
import { OUTBOUND_CLUSTERS } from '../../../src/generators/destination-names.js';
import { buildConnectionMatch } from '../../../src/generators/listeners/connection-match.js';
import { createFilterFactory } from '../../../src/generators/listeners/filter-factory.js';
import type { ConnectionAction, ConnectionMatch } from '../../../src/model/traffic/connection-route.js';
import { destinationOf, WHOLE_SERVICE } from '../../../src/model/traffic/destination.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import fc from '../../support/property-testing.js';
import { buildContext, buildProxy, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { validateWithEnvoy } from '../envoy-verdict.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const binary = 'value' in envoy ? envoy.value : undefined;
const envoyTest = binary === undefined ? test.skip : test;

const filters = createFilterFactory(ENCODER, { ...SETTINGS, keyValueFilter: true }, []);
const facts = filters.dependenciesOf(buildContext(), buildProxy());
type Protocol = NonNullable<Parameters<typeof filters.tcp>[2]['protocol']>;

function chainOf(name: string, match: ConnectionMatch, action: ConnectionAction, protocol: Protocol = 'tcp') {
  const options = { direction: 'outbound', clusters: OUTBOUND_CLUSTERS, action, protocol } as const;
  const filterChainMatch = buildConnectionMatch(match);
  return encodeFilterChain(ENCODER, { name, filterChainMatch, filters: filters.tcp(MESH, facts, options) });
}

function listenerOf(chains: readonly Buffer[]) {
  const address = { socketAddress: { address: '127.0.0.1', portValue: 19_000 } };
  const head = { name: 'connections', address, listenerFilters: [tlsInspectorFilter(ENCODER)] };
  return composeListener(ENCODER, { head, chains });
}

const proxyOf = (action: ConnectionAction, protocol?: Protocol) =>
  at(toJson(listenerOf([chainOf('a', {}, action, protocol)])), 'filterChains.0.filters.0.typedConfig');

const DB = destinationOf({ hostname: 'db.shop.svc.cluster.local' }, 5432);
const CANARY = { ...DB, subset: { name: 'canary', labels: { version: '2' } } };
const WEIGHTED = [
  { ...DB, weight: 90 },
  { ...CANARY, weight: 10 },
];

test('several destinations share connections by weight', (t) => {
  const proxy = proxyOf({ type: 'forward', destinations: WEIGHTED, hashesSourceAddress: false });
  t.deepEqual(at(proxy, 'weightedClusters.clusters'), [
    { name: 'outbound|5432||db.shop.svc.cluster.local', weight: 90 },
    { name: 'outbound|5432|canary|db.shop.svc.cluster.local', weight: 10 },
  ]);
  t.is(at(proxy, 'cluster'), undefined);
});

test('connections of one source address go to one endpoint where the route hashes it', (t) => {
  const proxy = proxyOf({ type: 'forward', destinations: [{ ...DB, weight: 1 }], hashesSourceAddress: true });
  t.deepEqual(at(proxy, 'hashPolicy'), [{ sourceIp: {} }]);
});

test('a protocol filter serves one destination, and several get a TCP proxy', (t) => {
  const [one] = WEIGHTED;
  if (one === undefined) throw new Error('no destination');
  const redis = proxyOf({ type: 'forward', destinations: [one], hashesSourceAddress: false }, 'redis');
  t.regex(String(at(redis, '@type')), /redis_proxy/);
  const both = proxyOf({ type: 'forward', destinations: WEIGHTED, hashesSourceAddress: false }, 'redis');
  t.regex(String(at(both, '@type')), /tcp_proxy/);
});

test('connections that are passed on or closed have the clusters of that', (t) => {
  t.is(at(proxyOf({ type: 'passThrough' }), 'cluster'), 'PassthroughCluster');
  t.is(at(proxyOf({ type: 'close' }), 'cluster'), 'BlackHoleCluster');
});

test('each condition on connections has its field', (t) => {
  const match = {
    port: 443,
    destinationRanges: ['10.0.0.0/8'],
    sourceRanges: ['192.168.0.0/16'],
    serverNames: ['*.example.com'],
  };
  t.deepEqual(at(toJson(listenerOf([chainOf('a', match, { type: 'close' })])), 'filterChains.0.filterChainMatch'), {
    destinationPort: 443,
    prefixRanges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }],
    sourcePrefixRanges: [{ addressPrefix: '192.168.0.0', prefixLen: 16 }],
    serverNames: ['*.example.com'],
  });
});

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const range = fc.constantFrom('10.0.0.0/8', '192.168.7.0/24', '0.0.0.0/0', 'fd00::/8', '10.1.2.3/32');
const destination = fc.record({
  hostname: token.map((name) => `${name}.shop.svc.cluster.local`),
  port: fc.integer({ min: 1, max: 65_535 }),
  subset: fc.oneof(fc.constant(WHOLE_SERVICE), fc.record({ name: token, labels: fc.constant({}) })),
  weight: fc.integer({ min: 1, max: 1000 }),
});
const action: fc.Arbitrary<ConnectionAction> = fc.oneof(
  fc.record({
    type: fc.constant('forward' as const),
    destinations: fc.array(destination, { minLength: 1, maxLength: 4 }),
    hashesSourceAddress: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('passThrough' as const, 'close' as const) }),
);
const conditions = fc.record(
  {
    destinationRanges: fc.uniqueArray(range, { minLength: 1, maxLength: 2 }),
    sourceRanges: fc.uniqueArray(range, { minLength: 1, maxLength: 2 }),
    serverNames: fc.uniqueArray(
      fc.tuple(fc.constantFrom('', '*.'), token).map(([wildcard, name]) => `${wildcard}${name}.example.com`),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

envoyTest('Envoy takes every route of connections that the traffic model can express', async (t) => {
  const routes = fc.sample(fc.record({ conditions, action }), 300);
  // Envoy refuses chains with equal conditions: each has a port of its own.
  const chains = routes.map((route, index) =>
    chainOf(`c${index}`, { ...route.conditions, port: index + 1 }, route.action),
  );
  const served = { clusters: [], listeners: [listenerOf(chains)], routes: [] };
  await t.notThrowsAsync(validateWithEnvoy(binary ?? '', ENCODER, served));
});
