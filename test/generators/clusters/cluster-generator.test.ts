import test from 'ava';
import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { createMessageJson, type Json } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { nextResourceSet } from '../../../src/envoy/resource-set.js';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import type { ServiceEndpoints } from '../../../src/model/endpoint.js';
import type { Finding } from '../../../src/model/finding.js';
import type { Proxy } from '../../../src/model/proxy.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { Protocol, Service } from '../../../src/model/service.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildContext, buildEndpoints, buildPort, buildProxy, buildService, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const json = createMessageJson(registry);

const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

interface Result {
  readonly resources: readonly EncodedResource[];
  readonly findings: readonly Finding[];
}

function createSubject(settings: Partial<typeof SETTINGS> = {}) {
  const generator = createClusterGenerator(encoder, { ...SETTINGS, ...settings });
  return (context: PushContext, proxy: Proxy = buildProxy(), partName?: string): Result => {
    const parts = generator.parts.filter(({ name }) => partName === undefined || name === partName);
    const results = parts.flatMap((part) => {
      const scope = part.scope(context, proxy);
      return scope === undefined ? [] : [part.generate(context, scope)];
    });
    return {
      resources: results.flatMap(({ resources }) => nextResourceSet(undefined, resources).resources),
      findings: results.flatMap(({ findings }) => findings),
    };
  };
}

const namesOf = ({ resources }: Result): readonly string[] => resources.map(({ name }) => name);

/** The only cluster of one service with one port. */
function outboundJson(
  service: Service,
  {
    proxy,
    mesh = MESH,
    ...settings
  }: { readonly proxy?: Proxy; readonly mesh?: MeshConfig } & Partial<typeof SETTINGS> = {},
): { readonly [key: string]: Json } {
  const { resources } = createSubject(settings)(buildContext({ services: [service], mesh }), proxy, 'outbound');
  const [first] = resources;
  if (first === undefined || resources.length > 1) throw new Error(`${resources.length} clusters`);
  return json.resourceToJson(first) as { [key: string]: Json };
}

const protocolOf = (cluster: { readonly [key: string]: Json }): string => {
  const options = cluster['typedExtensionProtocolOptions'] as { [key: string]: { [key: string]: Json } } | undefined;
  return Object.keys(options?.[HTTP_OPTIONS] ?? { none: '' }).at(-1) ?? '';
};

for (const [protocol, expected] of [
  ['http', 'none'],
  ['http2', 'explicitHttpConfig'],
  ['grpc', 'explicitHttpConfig'],
  ['grpc-web', 'explicitHttpConfig'],
  ['auto', 'useDownstreamProtocolConfig'],
  ['https', 'none'],
  ['tls', 'none'],
  ['tcp', 'none'],
  ['mongo', 'none'],
  ['redis', 'none'],
  ['mysql', 'none'],
  ['thrift', 'none'],
] as const satisfies readonly (readonly [Protocol, string])[]) {
  test(`a ${protocol} port speaks HTTP to its endpoints by: ${expected}`, (t) => {
    t.is(protocolOf(outboundJson(buildService({ ports: [buildPort({ protocol })] }))), expected);
  });
}

test('a port of unknown protocol is plain TCP when sniffing is off', (t) => {
  const service = buildService({ ports: [buildPort({ protocol: 'auto' })] });
  t.is(protocolOf(outboundJson(service, { sniffOutbound: false })), 'none');
});

test('a UDP port has no cluster', (t) => {
  const service = buildService({ ports: [buildPort({ protocol: 'udp' })] });
  t.deepEqual(namesOf(createSubject()(buildContext({ services: [service] }), undefined, 'outbound')), []);
});

test('HTTP inside the mesh travels as HTTP/2 when the mesh config upgrades it', (t) => {
  const mesh: MeshConfig = { ...MESH, h2UpgradePolicy: 'UPGRADE' };
  t.is(protocolOf(outboundJson(buildService(), { mesh })), 'explicitHttpConfig');
  t.is(protocolOf(outboundJson(buildService({ meshExternal: true }), { mesh })), 'none');
  t.is(protocolOf(outboundJson(buildService({ ports: [buildPort({ protocol: 'tcp' })] }), { mesh })), 'none');
});

for (const [what, service, type, settings, router] of [
  ['a service with endpoints', {}, 'EDS', {}, 'EDS'],
  ['a service without resolution', { resolution: 'passthrough' }, 'ORIGINAL_DST', {}, 'EDS'],
  ['a headless service', { resolution: 'passthrough', headless: true }, 'ORIGINAL_DST', {}, 'EDS'],
  ['a headless service with EDS', { headless: true }, 'EDS', { edsForHeadlessServices: true }, 'EDS'],
  ['a service with names', { resolution: 'dns' }, 'STRICT_DNS', {}, 'STRICT_DNS'],
] as const) {
  test(`the cluster of ${what} is ${type} for a sidecar and ${router} for a router`, (t) => {
    t.is(outboundJson(buildService(service), settings)['type'], type);
    t.is(outboundJson(buildService(service), { ...settings, proxy: buildProxy({ type: 'router' }) })['type'], router);
  });
}

test('a cluster waits for its endpoints as long as NAV_INITIAL_FETCH_TIMEOUT says', (t) => {
  t.like(outboundJson(buildService(), { initialFetchTimeoutMs: 2000 }), {
    edsClusterConfig: { edsConfig: { ads: {}, initialFetchTimeout: '2s' } },
  });
});

test('names are resolved to the addresses that the proxy has itself', (t) => {
  const service = buildService({ resolution: 'dns' });
  const family = (...ipAddresses: string[]) =>
    outboundJson(service, { proxy: buildProxy({ ipAddresses }) })['dnsLookupFamily'];
  t.is(family('10.0.0.1'), 'V4_ONLY');
  t.is(family('fd00::1', '10.0.0.1'), 'V4_ONLY');
  t.is(family('fd00::1'), 'V6_ONLY');
});

test('statistics are named by the pattern of the mesh config', (t) => {
  const mesh = { ...MESH, outboundClusterStatName: '%SERVICE%_%SERVICE_PORT%_%SERVICE_PORT_NAME%_%NO%' };
  t.is(outboundJson(buildService(), { mesh })['altStatName'], 'web.default_80_http_%NO%');
  const external = buildService({ registry: 'External', hostname: 'api.example.com' });
  t.is(outboundJson(external, { mesh })['altStatName'], 'api.example.com_80_http_%NO%');
  t.false('altStatName' in outboundJson(buildService()));
});

test('clusters are sorted by name whatever the order of services and ports', (t) => {
  const ports = [8080, 80, 443, 9].map((number) => buildPort({ number, name: `p${number}` }));
  const services = ['zeta', 'alpha', 'web-1', 'web'].map((name) => buildService({ name, ports }));
  const names = namesOf(createSubject()(buildContext({ services }), undefined, 'outbound'));
  t.is(names.length, 16);
  t.deepEqual(names, [...names].sort());
});

test('of two services with one host the older one keeps the cluster, and the other is a finding', (t) => {
  const older = buildService({ source: 'ServiceEntry/a/first', hostname: 'api.example.com', resolution: 'dns' });
  const newer = buildService({ source: 'ServiceEntry/b/second', hostname: 'api.example.com' });
  const { resources, findings } = createSubject()(buildContext({ services: [older, newer] }), undefined, 'outbound');
  t.deepEqual(
    resources.map((resource) => (json.resourceToJson(resource) as { type: string }).type),
    ['STRICT_DNS'],
  );
  t.is(findings.length, 1);
  t.like(findings[0], { metric: 'nav_duplicate_proxy_clusters', key: 'outbound|80||api.example.com' });
  t.regex(findings[0]?.message ?? '', /ServiceEntry\/b\/second/);
});

test('only the clusters of a changed service are encoded again', (t) => {
  const generate = createSubject();
  const [web, other] = [buildService(), buildService({ name: 'other' })];
  const before = generate(buildContext({ services: [web, other] }), undefined, 'outbound').resources;
  const changed = { ...web, ports: [buildPort({ protocol: 'grpc' })] };
  const after = generate(buildContext({ services: [changed, other] }), undefined, 'outbound').resources;
  t.is(after[0], before[0], 'of the other service');
  t.not(after[1]?.version, before[1]?.version, 'of the changed service');
});

test('another mesh config encodes everything again', (t) => {
  const generate = createSubject();
  const services = [buildService()];
  const [before] = generate(buildContext({ services }), undefined, 'outbound').resources;
  const mesh = { ...MESH, connectTimeoutMs: 1000 };
  const [after] = generate(buildContext({ services, mesh }), undefined, 'outbound').resources;
  t.not(after?.version, before?.version);
});

test('names that a proxy resolves are part of the cluster, and follow when they change', (t) => {
  const generate = createSubject();
  const service = buildService({ resolution: 'dns' });
  const clusterOf = (...addresses: string[]): Json => {
    const endpoints = [
      buildEndpoints(
        service,
        addresses.map((address) => ({ address, port: 443 })),
      ),
    ];
    const [cluster] = generate(buildContext({ services: [service], endpoints }), undefined, 'outbound').resources;
    return cluster === undefined ? null : json.resourceToJson(cluster);
  };
  const withName = (address: string) => ({
    loadAssignment: {
      endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress: { address, portValue: 443 } } } }] }],
    },
  });
  t.like(clusterOf('a.example.com'), withName('a.example.com'));
  t.like(clusterOf('b.example.com'), withName('b.example.com'));
});

test('proxies of one view share a scope, whatever their namespace, address and locality', (t) => {
  const context = buildContext({ services: [buildService()] });
  const [outbound] = createClusterGenerator(encoder, SETTINGS).parts;
  const keyOf = (fields: Partial<Proxy>, view: readonly string[] = []) =>
    outbound?.scope(context, buildProxy(fields, { requestedNetworkView: view }))?.key;
  t.is(keyOf({}), keyOf({ configNamespace: 'other', ipAddresses: ['10.9.9.9'], locality: 'r1', name: 'x' }));
  t.not(keyOf({}), keyOf({ type: 'router' }));
  t.not(keyOf({}), keyOf({ ipAddresses: ['fd00::1'] }));
  t.not(keyOf({}), keyOf({}, ['n1']));
});

test('a router has no inbound clusters, a sidecar those of its own families', (t) => {
  const fixed = (fields: Partial<Proxy>) => namesOf(createSubject()(buildContext(), buildProxy(fields), 'fixed'));
  const [v4, v6] = ['InboundPassthroughClusterIpv4', 'InboundPassthroughClusterIpv6'];
  t.deepEqual(fixed({ type: 'router' }), ['BlackHoleCluster', 'PassthroughCluster']);
  t.deepEqual(fixed({}), ['BlackHoleCluster', v4, 'PassthroughCluster']);
  t.deepEqual(fixed({ ipAddresses: ['fd00::1'] }), ['BlackHoleCluster', v6, 'PassthroughCluster']);
  t.deepEqual(fixed({ ipAddresses: ['fd00::1', '10.0.0.1'] }), ['BlackHoleCluster', v4, v6, 'PassthroughCluster']);
});

const TARGETS = [
  { service: buildService(), port: buildPort(), targetPort: 8080 },
  { service: buildService(), port: buildPort({ name: 'grpc', number: 9000, protocol: 'grpc' }), targetPort: 9090 },
  { service: buildService(), port: buildPort({ name: 'dns', number: 53, protocol: 'udp' }), targetPort: 53 },
] as const;

test('captured connections go on to where they were going, from an address that is not captured again', (t) => {
  const bindOf = (...ipAddresses: string[]) => {
    const result = createSubject()(buildContext({ targets: TARGETS }), buildProxy({ ipAddresses }), 'inbound');
    t.deepEqual(namesOf(result), [
      'inbound|80|http|web.default.svc.cluster.local',
      'inbound|9000|grpc|web.default.svc.cluster.local',
    ]);
    const clusters = result.resources.map((item) => json.resourceToJson(item) as { [key: string]: Json });
    t.deepEqual(clusters.map(protocolOf), ['none', 'explicitHttpConfig']);
    t.true(clusters.every(({ type }) => type === 'ORIGINAL_DST'));
    return clusters[0]?.['upstreamBindConfig'];
  };
  const [v4, v6] = ['127.0.0.6', '::6'].map((address) => ({ address, portValue: 0 }));
  t.deepEqual(bindOf('10.0.0.1'), { sourceAddress: v4 });
  t.deepEqual(bindOf('fd00::1'), { sourceAddress: v6 });
  t.deepEqual(bindOf('10.0.0.1', 'fd00::1'), { sourceAddress: v4, extraSourceAddresses: [{ address: v6 }] });
});

test('without capture inbound connections go to the target port on loopback', (t) => {
  const addressOf = (...ipAddresses: string[]) => {
    const proxy = buildProxy({ ipAddresses }, { interceptionMode: 'NONE' });
    const [first] = createSubject()(buildContext({ targets: TARGETS }), proxy, 'inbound').resources;
    const cluster = json.resourceToJson(first as EncodedResource) as { [key: string]: Json };
    t.is(cluster['type'], 'STATIC');
    return JSON.stringify(cluster['loadAssignment']);
  };
  t.regex(addressOf('10.0.0.1'), /"address":"127\.0\.0\.1","portValue":8080/);
  t.regex(addressOf('fd00::1'), /"address":"::1","portValue":8080/);
});

test('a port of unknown protocol forwards the HTTP version of the request to its workload, unless inbound sniffing is off', (t) => {
  const targets = [{ service: buildService(), port: buildPort({ protocol: 'auto' }), targetPort: 1 }] as const;
  const protocolWith = (sniffInbound: boolean) => {
    const [first] = createSubject({ sniffInbound })(buildContext({ targets }), buildProxy(), 'inbound').resources;
    return protocolOf(json.resourceToJson(first as EncodedResource) as { [key: string]: Json });
  };
  t.is(protocolWith(true), 'useDownstreamProtocolConfig');
  t.is(protocolWith(false), 'none');
});

test('replicas share the scope of their inbound clusters; capture decides whether target ports are in it', (t) => {
  const [, inbound] = createClusterGenerator(encoder, SETTINGS).parts;
  const keyOf = (targetPort: number, interceptionMode: 'REDIRECT' | 'TPROXY' | 'NONE', fields: Partial<Proxy> = {}) => {
    const context = buildContext({ targets: [{ service: buildService(), port: buildPort(), targetPort }] });
    return inbound?.scope(context, buildProxy(fields, { interceptionMode }))?.key;
  };
  t.is(keyOf(1, 'REDIRECT'), keyOf(2, 'TPROXY', { ipAddresses: ['10.9.9.9'] }));
  t.not(keyOf(1, 'NONE'), keyOf(2, 'NONE'));
  t.is(keyOf(1, 'REDIRECT', { type: 'router' }), undefined);
});

test('a service with names of which no endpoints are known is found by its own name', (t) => {
  const nameIn = (service: Partial<Service>) => {
    const { loadAssignment } = outboundJson(buildService({ resolution: 'dns', ...service }));
    return /"address":"([^"]*)"/.exec(JSON.stringify(loadAssignment))?.[1];
  };
  t.is(nameIn({ hostname: 'api.example.com' }), 'api.example.com');
  t.is(nameIn({ externalName: 'api.partner.example' }), 'api.partner.example');
  t.is(nameIn({ hostname: '*.example.com' }), undefined);
});

test('names of a service in another namespace under the same host are not resolved', (t) => {
  const own = buildService({ hostname: 'db.example.com', namespace: 'b', resolution: 'dns' });
  const others = buildService({ hostname: 'db.example.com', namespace: 'a', resolution: 'dns' });
  const parts = { services: [others], shadowed: [own], views: { b: { id: 'b', services: [own] } } };
  const ofOthers = buildEndpoints(others, [{ address: 'a.internal' }]);
  const ofOwn = buildEndpoints(own, [{ address: 'b.internal' }]);
  const namesFor = (configNamespace: string, endpoints: readonly ServiceEndpoints[]) => {
    const context = buildContext({ ...parts, endpoints });
    const [cluster] = createSubject()(context, buildProxy({ configNamespace }), 'outbound').resources;
    return JSON.stringify(json.resourceToJson(cluster as EncodedResource)).match(/\w+\.internal/g);
  };
  t.deepEqual(namesFor('a', [ofOthers, ofOwn]), ['a.internal']);
  t.deepEqual(namesFor('b', [ofOthers, ofOwn]), ['b.internal']);
  t.is(namesFor('b', [ofOthers]), null);
});

test('a VirtualService concerns the clusters of sidecars if it mirrors requests: Envoy does not ask for these clusters', (t) => {
  const object = (http: object): MeshObject => ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'web', namespace: 'default', labels: {}, annotations: {}, resourceVersion: '1' },
    body: { hosts: ['web'], http: [http], tls: [], tcp: [] },
  });
  const isAffected = (http: object, type: Proxy['type'], settings: Partial<typeof SETTINGS> = {}) => {
    const { affectedBy } = createClusterGenerator(encoder, { ...SETTINGS, ...settings });
    const key = 'VirtualService/default/web' as const;
    const objects = new Map([['VirtualService', new Map([[key, object(http)]])]]);
    return affectedBy(pushRequest({ changed: new Set([key]) }), type, { ...buildContext(), objects });
  };
  t.true(isAffected({ mirror: { host: 'shadow' } }, 'sidecar'));
  t.false(isAffected({ mirror: { host: 'shadow' } }, 'router'));
  t.false(isAffected({}, 'sidecar'));
  t.true(isAffected({}, 'sidecar', { keyValueFilter: true }));
});
