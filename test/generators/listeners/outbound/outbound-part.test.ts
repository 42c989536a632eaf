import test from 'ava';
import type { Json } from '../../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import type { GeneratorSettings } from '../../../../src/generators/settings.js';
import type { Proxy, ProxyMetadata } from '../../../../src/model/proxy.js';
import {
  buildContext,
  buildEndpoints,
  buildPort,
  buildProxy,
  buildService,
  type ContextParts,
  MESH,
} from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../../served-resources.js';

interface Variant {
  readonly settings?: Partial<GeneratorSettings>;
  readonly proxy?: Partial<Proxy>;
  readonly metadata?: Partial<ProxyMetadata>;
}

/** Listeners by name. */
function listen(parts: ContextParts, { settings, proxy, metadata }: Variant = {}): ReadonlyMap<string, Json> {
  const generator = createListenerGenerator(ENCODER, { ...SETTINGS, ...settings });
  const { resources } = generateAll(generator, buildContext(parts), buildProxy(proxy, metadata));
  return new Map(resources.map((resource) => [resource.name, toJson(resource)]));
}

const outboundNames = (listeners: ReadonlyMap<string, Json>) =>
  [...listeners.keys()].filter((name) => !name.startsWith('virtual')).sort();
const matchesOf = (listener: Json | undefined) =>
  ((at(listener, 'filterChains') ?? []) as Json[]).map((chain) => at(chain, 'filterChainMatch'));
const CONFIG = 'filters.0.typedConfig';

test('HTTP services share one listener per port, whose table is named for the port', (t) => {
  const listeners = listen({
    services: [buildService({ name: 'a' }), buildService({ name: 'b', addresses: ['10.96.0.2'] })],
  });
  t.deepEqual(outboundNames(listeners), ['0.0.0.0_80']);
  const listener = listeners.get('0.0.0.0_80');
  t.is(at(listener, `filterChains.0.${CONFIG}.rds.routeConfigName`), '80');
  t.is(at(listener, `filterChains.0.${CONFIG}.statPrefix`), 'outbound_0.0.0.0_80');
  t.is(at(listener, 'bindToPort'), false);
});

test('the outbound traffic policy decides about other connections on a shared HTTP port', (t) => {
  const policies = { ALLOW_ANY: 'PassthroughCluster', REGISTRY_ONLY: 'BlackHoleCluster' } as const;
  for (const [policy, cluster] of Object.entries(policies)) {
    const mesh = { ...MESH, outboundTrafficPolicy: policy as keyof typeof policies };
    const listener = listen({ services: [buildService()], mesh }).get('0.0.0.0_80');
    t.is(at(listener, `defaultFilterChain.${CONFIG}.cluster`), cluster);
    t.deepEqual(matchesOf(listener), [{ transportProtocol: 'raw_buffer', applicationProtocols: ['http/1.1', 'h2c'] }]);
    t.is(at(listener, 'listenerFiltersTimeout'), '5s');
    t.is(at(listener, 'continueOnListenerFiltersTimeout'), true);
  }
});

test('without sniffing, a shared HTTP port takes everything as HTTP and a port of unknown protocol is TCP', (t) => {
  const ports = [buildPort(), buildPort({ name: 'any', number: 7000, protocol: 'auto' })];
  const listeners = listen({ services: [buildService({ ports })] }, { settings: { sniffOutbound: false } });
  t.deepEqual(matchesOf(listeners.get('0.0.0.0_80')), [undefined]);
  t.is(at(listeners.get('0.0.0.0_80'), 'listenerFilters'), undefined);
  t.is(
    at(listeners.get('10.96.0.1_7000'), `filterChains.0.${CONFIG}.cluster`),
    'outbound|7000||web.default.svc.cluster.local',
  );
});

test('TCP listens at every address of the service that the proxy has the family of', (t) => {
  const services = [
    buildService({
      addresses: ['10.96.0.1', 'fd00::1', '10.96.0.2'],
      ports: [buildPort({ number: 3306, protocol: 'mysql' })],
    }),
  ];
  t.deepEqual(outboundNames(listen({ services })), ['10.96.0.1_3306', '10.96.0.2_3306']);
  const dual = { ipAddresses: ['10.0.0.9', 'fd00::9'] };
  t.deepEqual(outboundNames(listen({ services }, { proxy: dual })), [
    '10.96.0.1_3306',
    '10.96.0.2_3306',
    'fd00::1_3306',
  ]);
});

test('a sniffed port listens at its address with a table of its own, and passes other connections on', (t) => {
  const ports = [buildPort({ number: 7000, protocol: 'auto' })];
  const listener = listen({ services: [buildService({ ports })] }).get('10.96.0.1_7000');
  t.is(at(listener, `filterChains.0.${CONFIG}.rds.routeConfigName`), 'web.default.svc.cluster.local:7000');
  t.is(at(listener, `defaultFilterChain.${CONFIG}.cluster`), 'outbound|7000||web.default.svc.cluster.local');
  t.is(at(listener, 'listenerFilters.0.name'), 'envoy.filters.listener.http_inspector');
});

test('HTTP/1.0 is sniffed only where it is taken', (t) => {
  const services = [buildService()];
  for (const variant of [{ settings: { http10: true } }, { metadata: { http10: true } }] as const) {
    const listener = listen({ services }, variant).get('0.0.0.0_80');
    t.deepEqual(at(listener, 'filterChains.0.filterChainMatch.applicationProtocols'), ['http/1.0', 'http/1.1', 'h2c']);
    t.is(at(listener, `filterChains.0.${CONFIG}.httpProtocolOptions.acceptHttp_10`), true);
  }
});

test('TLS services without an address share a port by server name, in lower case', (t) => {
  const tls = (hostname: string) =>
    buildService({ hostname, addresses: [], ports: [buildPort({ number: 443, protocol: 'https' })] });
  const listener = listen({ services: [tls('API.example.com'), tls('*.example.org')] }).get('0.0.0.0_443');
  t.deepEqual(matchesOf(listener), [{ serverNames: ['api.example.com'] }, { serverNames: ['*.example.org'] }]);
  t.is(at(listener, `filterChains.0.${CONFIG}.cluster`), 'outbound|443||API.example.com');
  t.is(at(listener, `defaultFilterChain.${CONFIG}.cluster`), 'PassthroughCluster');
  t.is(at(listener, 'listenerFilters.0.name'), 'envoy.filters.listener.tls_inspector');
});

test('alone at its address, a TLS service needs no server name; two at one address do', (t) => {
  const tls = (name: string) =>
    buildService({ name, addresses: ['10.96.0.1'], ports: [buildPort({ number: 443, protocol: 'tls' })] });
  const alone = listen({ services: [tls('a')] }).get('10.96.0.1_443');
  t.deepEqual(matchesOf(alone), [undefined]);
  t.is(at(alone, 'listenerFilters'), undefined);
  const both = listen({ services: [tls('a'), tls('b')] }).get('10.96.0.1_443');
  t.deepEqual(matchesOf(both), [
    { serverNames: ['a.default.svc.cluster.local'] },
    { serverNames: ['b.default.svc.cluster.local'] },
  ]);
  t.is(at(both, `defaultFilterChain.${CONFIG}.cluster`), 'outbound|443||a.default.svc.cluster.local');
});

test('a range of addresses is a chain of the shared listener, beside the HTTP of that port', (t) => {
  const range = buildService({
    name: 'range',
    addresses: ['172.16.9.9/16'],
    resolution: 'passthrough',
    ports: [buildPort({ name: 'tcp', number: 80, protocol: 'tcp' })],
  });
  const listener = listen({ services: [range, buildService()] }).get('0.0.0.0_80');
  const cluster = at(listener, `filterChains.0.${CONFIG}.cluster`);
  t.is(cluster, 'outbound|80||range.default.svc.cluster.local');
  t.deepEqual(at(listener, 'filterChains.0.filterChainMatch.prefixRanges'), [
    { addressPrefix: '172.16.0.0', prefixLen: 16 },
  ]);
  t.is(at(listener, `filterChains.1.${CONFIG}.rds.routeConfigName`), '80');
});

const headless = buildService({
  name: 'db',
  addresses: [],
  headless: true,
  resolution: 'passthrough',
  ports: [buildPort({ name: 'tcp', number: 5432, protocol: 'tcp' })],
});
const pods = buildEndpoints(headless, [
  { address: '10.0.1.1', portName: 'tcp' },
  { address: '10.0.1.2', portName: 'tcp' },
  { address: '10.0.1.3', portName: 'other' },
]);

test('a headless TCP port has a listener for each pod that serves it, or one for all when those are off', (t) => {
  const parts = { services: [headless], endpoints: [pods] };
  t.deepEqual(outboundNames(listen(parts)), ['10.0.1.1_5432', '10.0.1.2_5432']);
  t.deepEqual(outboundNames(listen(parts, { settings: { headlessPodListeners: false } })), ['0.0.0.0_5432']);
});

test('of headless services that claim one host, each namespace listens at the pods of its own', (t) => {
  const own = { ...headless, namespace: 'team' };
  const parts = {
    services: [headless],
    shadowed: [own],
    endpoints: [pods, buildEndpoints(own, [{ address: '10.0.2.1', portName: 'tcp' }])],
    views: { team: { id: 'team', services: [own] } },
  };
  t.deepEqual(outboundNames(listen(parts)), ['10.0.1.1_5432', '10.0.1.2_5432']);
  t.deepEqual(outboundNames(listen(parts, { proxy: { configNamespace: 'team' } })), ['10.0.2.1_5432']);
});

test('a sidecar that binds its ports has no listener for services that need an original destination', (t) => {
  const parts = { services: [headless, buildService()], endpoints: [pods] };
  const bound = { interceptionMode: 'NONE' } as const;
  const listeners = listen(parts, { metadata: bound });
  t.deepEqual([...listeners.keys()], ['127.0.0.1_80']);
  t.is(at(listeners.get('127.0.0.1_80'), 'bindToPort'), true);
  t.deepEqual(matchesOf(listeners.get('127.0.0.1_80')), [undefined]);
  t.deepEqual(
    [...listen(parts, { metadata: bound, settings: { edsForHeadlessServices: true } }).keys()],
    ['127.0.0.1_5432', '127.0.0.1_80'],
  );
});

test('made-up addresses are listened at by proxies with DNS capture alone', (t) => {
  const ports = [buildPort({ number: 9000, protocol: 'tcp' })];
  const entry = { registry: 'External', addresses: [], autoAddress: '240.240.0.1', ports } as const;
  const services = [buildService({ ...entry, resolution: 'dns' })];
  t.deepEqual(outboundNames(listen({ services })), ['0.0.0.0_9000']);
  t.deepEqual(outboundNames(listen({ services }, { metadata: { dnsCapture: true } })), ['240.240.0.1_9000', 'dns']);
});

test('UDP ports have no listener', (t) => {
  t.deepEqual(outboundNames(listen({ services: [buildService({ ports: [buildPort({ protocol: 'udp' })] })] })), []);
});

test('routers have no listeners', (t) => {
  t.is(listen({ services: [buildService()] }, { proxy: { type: 'router' } }).size, 0);
});

test('Redis and Thrift have filters of their own where their settings say so', (t) => {
  const ports = [
    buildPort({ name: 'redis', number: 6379, protocol: 'redis' }),
    buildPort({ name: 'thrift', number: 9090, protocol: 'thrift' }),
  ];
  const filtersWith = (settings: Partial<GeneratorSettings>) => {
    const listeners = listen({ services: [buildService({ ports })] }, { settings });
    return ['10.96.0.1_6379', '10.96.0.1_9090'].map((name) => at(listeners.get(name), 'filterChains.0.filters.0.name'));
  };
  t.deepEqual(filtersWith({}), ['envoy.filters.network.tcp_proxy', 'envoy.filters.network.tcp_proxy']);
  t.deepEqual(filtersWith({ keyValueFilter: true, thriftFilter: true }), [
    'envoy.filters.network.redis_proxy',
    'envoy.filters.network.thrift_proxy',
  ]);
});

test('MySQL has a filter before the TCP proxy where NAV_ENABLE_RELATIONALDB_FILTER says so', (t) => {
  const ports = [buildPort({ name: 'mysql', number: 3306, protocol: 'mysql' })];
  const chainWith = (settings: Partial<GeneratorSettings>) => {
    const listener = listen({ services: [buildService({ ports })] }, { settings }).get('10.96.0.1_3306');
    return [0, 1].map((index) => at(listener, `filterChains.0.filters.${index}.name`));
  };
  t.deepEqual(chainWith({}), ['envoy.filters.network.tcp_proxy', undefined]);
  t.deepEqual(chainWith({ relationalDbFilter: true }), [
    'envoy.filters.network.mysql_proxy',
    'envoy.filters.network.tcp_proxy',
  ]);
});

test('when one service changes, the listeners of the others are the very same objects', (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  const tcp = (name: string, address: string) =>
    buildService({ name, addresses: [address], ports: [buildPort({ number: 3306, protocol: 'tcp' })] });
  const [kept, changed] = [tcp('kept', '10.96.0.1'), tcp('changed', '10.96.0.2')];
  const generate = (services: ContextParts['services'] & object) =>
    generateAll(generator, buildContext({ services }), buildProxy()).resources;
  const before = generate([kept, changed]);
  const after = generate([kept, tcp('changed', '10.96.0.3')]);
  const find = (list: typeof before, name: string) => list.find((resource) => resource.name === name);
  t.truthy(find(before, '10.96.0.1_3306'));
  t.is(find(after, '10.96.0.1_3306'), find(before, '10.96.0.1_3306'));
  t.truthy(find(after, '10.96.0.3_3306'));
});

test('a mesh config of its own makes listeners of its own', (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  const service = buildService({ ports: [buildPort({ number: 3306, protocol: 'tcp' })] });
  const accessLogOf = (accessLogFile: string) => {
    const context = buildContext({ services: [service], mesh: { ...MESH, accessLogFile } });
    const listener = generateAll(generator, context, buildProxy()).resources.find(({ name }) => name.endsWith('_3306'));
    return listener && at(toJson(listener), `filterChains.0.${CONFIG}.accessLog.0.typedConfig.path`);
  };
  t.is(accessLogOf(''), undefined);
  t.is(accessLogOf('/tmp/access.log'), '/tmp/access.log');
});
