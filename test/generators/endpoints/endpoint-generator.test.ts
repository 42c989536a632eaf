import test from 'ava';
import type { NetworkGateway } from '../../../src/config/mesh/mesh-networks.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { createMessageJson } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { createEndpointGenerator } from '../../../src/generators/endpoints/endpoint-generator.js';
import type { Endpoint } from '../../../src/model/endpoint.js';
import type { ProxyMetadata } from '../../../src/model/proxy.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import {
  buildContext,
  buildEndpoints,
  buildPort,
  buildProxy,
  buildService,
  type ContextParts,
  MESH,
} from '../context-builder.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const json = createMessageJson(registry);

const WEB = 'outbound|80||web.default.svc.cluster.local';

function createSubject() {
  const generator = createEndpointGenerator(encoder);
  const generate = (context: PushContext, name: string, metadata: Partial<ProxyMetadata> = {}): EncodedResource => {
    const resource = generator.generate(context, generator.scope(context, buildProxy({}, metadata)), name);
    if (resource === undefined) throw new Error(`no resource ${name}`);
    return resource;
  };
  return { generator, generate };
}

/** Every `address:port` in an assignment, in order. */
function addressesIn(resource: EncodedResource): readonly string[] {
  const found: string[] = [];
  JSON.stringify(json.resourceToJson(resource), (key, value) => {
    if (key === 'socketAddress') found.push(`${value.address}:${value.portValue}`);
    return value;
  });
  return found;
}

function networks(byName: Readonly<Record<string, NetworkGateway>>) {
  const entries = Object.entries(byName).map(
    ([name, gateway]) => [name, { endpoints: [], gateways: [gateway] }] as const,
  );
  return { networks: new Map(entries) };
}

test('an assignment has the endpoints of the port that the cluster names', (t) => {
  const service = buildService({ ports: [buildPort(), buildPort({ name: 'grpc', number: 9000, protocol: 'grpc' })] });
  const endpoints = buildEndpoints(service, [{}, { portName: 'grpc', port: 9090 }]);
  const context = buildContext({ services: [service], endpoints: [endpoints] });
  const { generate } = createSubject();
  t.deepEqual(addressesIn(generate(context, WEB)), ['10.0.0.1:8080']);
  t.deepEqual(addressesIn(generate(context, 'outbound|9000||web.default.svc.cluster.local')), ['10.0.0.1:9090']);
});

test('endpoints of all shards are served together', (t) => {
  const service = buildService();
  const endpoints = buildEndpoints(service, { 'Orchestrator/c2': [{ address: '10.0.2.1' }], 'Orchestrator/c1': [{}] });
  const context = buildContext({ services: [service], endpoints: [endpoints] });
  t.deepEqual(addressesIn(createSubject().generate(context, WEB)), ['10.0.0.1:8080', '10.0.2.1:8080']);
});

for (const [name, why] of [
  ['outbound|80||gone.default.svc.cluster.local', 'of an unknown service'],
  ['outbound|81||web.default.svc.cluster.local', 'of a port that the service does not have'],
  ['outbound|53||web.default.svc.cluster.local', 'of a UDP port'],
  ['outbound|80|v1|web.default.svc.cluster.local', 'of an unknown subset'],
  ['outbound|080||web.default.svc.cluster.local', 'with a port that is written in another way'],
  ['outbound|443||api.example.com', 'of a service that the proxy resolves by DNS'],
  ['inbound|80|http|web.default.svc.cluster.local', 'of an inbound cluster'],
  ['web.default.svc.cluster.local', 'that is no cluster name at all'],
  ['', 'that is empty'],
] as const) {
  test(`a name ${why} gets an empty assignment, so that the proxy stops waiting`, (t) => {
    const web = buildService({ ports: [buildPort(), buildPort({ name: 'dns', number: 53, protocol: 'udp' })] });
    const api = buildService({ hostname: 'api.example.com', resolution: 'dns', ports: [buildPort({ number: 443 })] });
    const endpoints = [web, api].map((service) => buildEndpoints(service, [{}, { portName: 'dns' }]));
    const resource = createSubject().generate(buildContext({ services: [web, api], endpoints }), name);
    t.is(resource.name, name);
    t.deepEqual(Object.keys(json.resourceToJson(resource) as object), ['@type', 'clusterName']);
  });
}

test('a cluster without endpoints is a finding, a cluster with some is none', (t) => {
  const web = buildService();
  const empty = buildService({ name: 'empty' });
  const context = buildContext({ services: [web, empty], endpoints: [buildEndpoints(web, [{}])] });
  const { generator } = createSubject();
  const scope = generator.scope(context, buildProxy());
  t.deepEqual(generator.findings?.(context, scope, WEB), []);
  const [finding, ...others] =
    generator.findings?.(context, scope, 'outbound|80||empty.default.svc.cluster.local') ?? [];
  t.like(finding, { metric: 'nav_eds_no_instances', key: 'outbound|80||empty.default.svc.cluster.local' });
  t.is(others.length, 0);
});

test('an assignment is encoded once for as long as service and endpoints are the same', (t) => {
  const [web, other] = [buildService(), buildService({ name: 'other' })];
  const [webEndpoints, otherEndpoints] = [buildEndpoints(web, [{}]), buildEndpoints(other, [{}])];
  const { generate } = createSubject();
  const first = generate(buildContext({ services: [web, other], endpoints: [webEndpoints, otherEndpoints] }), WEB);
  const changedOther = buildEndpoints(other, [{}, { address: '10.0.0.2' }]);
  t.is(generate(buildContext({ services: [web, other], endpoints: [webEndpoints, changedOther] }), WEB), first);
  const changedWeb = buildEndpoints(web, [{}, { address: '10.0.0.2' }]);
  const second = generate(buildContext({ services: [web, other], endpoints: [changedWeb, otherEndpoints] }), WEB);
  t.deepEqual(addressesIn(second), ['10.0.0.1:8080', '10.0.0.2:8080']);
});

test('a port that is renamed selects other endpoints even when those are the same object', (t) => {
  const before = buildService();
  const after = buildService({ ports: [buildPort({ name: 'web' })] });
  const endpoints = buildEndpoints(before, [{}, { portName: 'web', port: 9999 }]);
  const { generate } = createSubject();
  t.deepEqual(addressesIn(generate(buildContext({ services: [before], endpoints: [endpoints] }), WEB)), [
    '10.0.0.1:8080',
  ]);
  t.deepEqual(addressesIn(generate(buildContext({ services: [after], endpoints: [endpoints] }), WEB)), [
    '10.0.0.1:9999',
  ]);
});

test('proxies with nothing special share one scope, and no fact that does not matter is in it', (t) => {
  const { generator } = createSubject();
  const context = buildContext();
  const keyOf = (metadata: Partial<ProxyMetadata>) => generator.scope(context, buildProxy({}, metadata)).key;
  t.is(keyOf({ network: 'n1', clusterId: 'c1' }), keyOf({ network: 'n2', clusterId: 'c2' }));
  t.not(keyOf({ requestedNetworkView: ['n1'] }), keyOf({}));
  t.is(keyOf({ requestedNetworkView: ['n1', 'n2'] }), keyOf({ requestedNetworkView: ['n2', 'n1'] }));
});

test('a proxy that asks for some networks gets their endpoints and those without a network', (t) => {
  const service = buildService();
  const endpoints = buildEndpoints(service, [
    { address: '10.1.0.1', network: 'n1' },
    { address: '10.2.0.1', network: 'n2' },
    { address: '10.3.0.1' },
  ]);
  const context = buildContext({ services: [service], endpoints: [endpoints] });
  const seen = addressesIn(createSubject().generate(context, WEB, { requestedNetworkView: ['n2'] }));
  t.deepEqual(seen, ['10.2.0.1:8080', '10.3.0.1:8080']);
});

test('endpoints on another network are reached by the gateway address of that network', (t) => {
  const service = buildService();
  const endpoints = buildEndpoints(service, [{ network: 'n1' }, { address: '10.2.0.1', network: 'n2' }]);
  const context = buildContext({
    services: [service],
    endpoints: [endpoints],
    networks: networks({ n2: { target: { address: '34.0.0.1' }, port: 15443, locality: '' } }),
  });
  const { generate } = createSubject();
  t.deepEqual(addressesIn(generate(context, WEB, { network: 'n1' })), ['10.0.0.1:8080', '34.0.0.1:15443']);
  t.deepEqual(addressesIn(generate(context, WEB, { network: 'n2' })), ['10.0.0.1:8080', '10.2.0.1:8080']);
});

test('a gateway that is a service is entered by its ready endpoints, and follows when they change', (t) => {
  const service = buildService();
  const gateway = buildService({ name: 'gw', ports: [buildPort({ name: 'tls', number: 15443, protocol: 'tls' })] });
  const remote = buildEndpoints(service, [{ address: '10.2.0.1', network: 'n2' }]);
  const target = { registryServiceName: gateway.hostname };
  const contextWith = (...addresses: string[]) =>
    buildContext({
      services: [service, gateway],
      endpoints: [
        remote,
        buildEndpoints(gateway, [
          ...addresses.map((address) => ({ address, portName: 'tls', port: 8443 })),
          { address: '9.9.9.9', portName: 'tls', health: 'unhealthy' as const },
          { address: '8.8.8.8', portName: 'other' },
        ]),
      ],
      networks: networks({ n2: { target, port: 15443, locality: '' } }),
    });
  const { generate } = createSubject();
  t.deepEqual(addressesIn(generate(contextWith('2.0.0.1'), WEB, { network: 'n1' })), ['2.0.0.1:8443']);
  t.deepEqual(addressesIn(generate(contextWith('2.0.0.2'), WEB, { network: 'n1' })), ['2.0.0.2:8443']);
});

test('a gateway service of several networks has the addresses of the right network, external ones if possible', (t) => {
  const service = buildService();
  const ports = [buildPort({ name: 'tls', number: 15443, protocol: 'tls' })];
  const gateway = buildService({
    name: 'gw',
    ports,
    byCluster: new Map([['west', { addresses: [], externalAddresses: ['198.51.100.7', '198.51.100.8'] }]]),
  });
  const contextWith = (health: Endpoint['health']) => {
    const at = (address: string, network: string) => ({ address, network, portName: 'tls', port: 8443 });
    return buildContext({
      services: [service, gateway],
      endpoints: [
        buildEndpoints(service, [{ address: '10.2.0.1', network: 'n2' }]),
        buildEndpoints(gateway, {
          'Orchestrator/east': [at('1.0.0.1', 'n1')],
          'Orchestrator/west': [{ ...at('2.0.0.1', 'n2'), health }],
          'Orchestrator/north': [at('2.0.0.9', 'n2')],
        }),
      ],
      networks: networks({ n2: { target: { registryServiceName: gateway.hostname }, port: 15443, locality: '' } }),
    });
  };
  const { generate } = createSubject();
  const addresses = (health: Endpoint['health']) => addressesIn(generate(contextWith(health), WEB, { network: 'n1' }));
  t.deepEqual(addresses('healthy'), ['198.51.100.7:15443', '198.51.100.8:15443', '2.0.0.9:8443']);
  t.deepEqual(addresses('unhealthy'), ['2.0.0.9:8443']);
});

test('a gateway that is a name cannot be sent to Envoy, so its network is taken to be reachable', (t) => {
  const service = buildService();
  const context = buildContext({
    services: [service],
    endpoints: [buildEndpoints(service, [{ address: '10.2.0.1', network: 'n2' }])],
    networks: networks({ n2: { target: { address: 'gw.example.com' }, port: 15443, locality: '' } }),
  });
  t.deepEqual(addressesIn(createSubject().generate(context, WEB, { network: 'n1' })), ['10.2.0.1:8080']);
});

test("a cluster-local host is served from the proxy's own cluster, and only such hosts are", (t) => {
  const [web, other] = [buildService(), buildService({ name: 'other', namespace: 'shared' })];
  const shards = { 'Orchestrator/c1': [{}], 'Orchestrator/c2': [{ address: '10.0.2.1' }] };
  const contextWith = (...clusterLocalHosts: string[]) =>
    buildContext({
      services: [web, other],
      endpoints: [buildEndpoints(web, shards), buildEndpoints(other, shards)],
      mesh: { ...MESH, clusterLocalHosts },
    });
  const { generate } = createSubject();
  const addresses = (context: PushContext, name: string) => addressesIn(generate(context, name, { clusterId: 'c2' }));
  const both = ['10.0.0.1:8080', '10.0.2.1:8080'];
  t.deepEqual(addresses(contextWith('*.default.svc.cluster.local'), WEB), ['10.0.2.1:8080']);
  t.deepEqual(addresses(contextWith(web.hostname), WEB), ['10.0.2.1:8080']);
  const local = contextWith(web.hostname);
  t.deepEqual(addressesIn(generate(local, WEB, { clusterId: 'c1' })), ['10.0.0.1:8080']);
  t.deepEqual(addressesIn(generate(local, WEB, { clusterId: 'c2' })), ['10.0.2.1:8080']);
  t.deepEqual(addresses(contextWith(web.hostname), 'outbound|80||other.shared.svc.cluster.local'), both);
  const own = buildContext({
    services: [web],
    endpoints: [buildEndpoints(web, { 'Orchestrator/Orchestrator': [{}], ...shards })],
    mesh: { ...MESH, clusterLocalHosts: [web.hostname] },
  });
  t.deepEqual(addressesIn(generate(own, WEB)), ['10.0.0.1:8080'], 'a proxy that says nothing is in the own cluster');
  t.deepEqual(
    addresses(contextWith(), WEB),
    both,
    'a mesh config without such hosts is not served what was remembered',
  );
});

test('a proxy whose namespace has a service of its own under a host is not sent to the workloads of the other', (t) => {
  const others = buildService({ hostname: 'db.example.com', namespace: 'a', registry: 'External' });
  const own = buildService({ hostname: 'db.example.com', namespace: 'b', registry: 'External' });
  const context = buildContext({
    services: [others],
    shadowed: [own],
    endpoints: [buildEndpoints(others, [{}]), buildEndpoints(own, [{ address: '10.0.0.2' }])],
    views: { b: { id: 'b', services: [own] } },
  });
  const { generator } = createSubject();
  const seenFrom = (configNamespace: string) => {
    const scope = generator.scope(context, buildProxy({ configNamespace }));
    const resource = generator.generate(context, scope, 'outbound|80||db.example.com');
    return { key: scope.key, addresses: resource === undefined ? undefined : addressesIn(resource) };
  };
  t.deepEqual(seenFrom('a').addresses, ['10.0.0.1:8080']);
  t.deepEqual(seenFrom('b').addresses, ['10.0.0.2:8080']);
  t.not(seenFrom('a').key, seenFrom('b').key);
  t.is(seenFrom('a').key, seenFrom('c').key);
});

test('namespaces with services of their own share the scope of all, unless a host of theirs is claimed twice', (t) => {
  const shared = buildService();
  const secret = buildService({ name: 'secret', namespace: 'b' });
  const claim = buildService({ hostname: shared.hostname, namespace: 'b', registry: 'External' });
  const keysIn = (parts: Pick<ContextParts, 'shadowed' | 'views'>) => {
    const context = buildContext({ services: [shared, secret], ...parts });
    const { generator } = createSubject();
    return ['a', 'b'].map((configNamespace) => generator.scope(context, buildProxy({ configNamespace })).key);
  };
  const [withFewer, withAll] = keysIn({ views: { a: { id: 'a', services: [shared] } } });
  t.is(withFewer, withAll);
  const viewsWith = (id: string) => ({ b: { id, services: [claim, secret] } });
  const [others, own] = keysIn({ shadowed: [claim], views: viewsWith('b') });
  t.is(others, withAll);
  t.not(own, others);
  const [, later] = keysIn({ shadowed: [claim], views: viewsWith('b with a change elsewhere') });
  t.is(later, own, 'other changes in the view are no reason for another set of endpoints');
});

test('proxies of networks without a gateway share one scope, whatever they call their network', (t) => {
  const context = buildContext({
    networks: networks({ far: { target: { address: '192.0.2.1' }, port: 15443, locality: '' } }),
  });
  const { generator } = createSubject();
  const keyIn = (network: string): string => generator.scope(context, buildProxy({}, { network })).key;
  t.is(keyIn('made-up-1'), keyIn('made-up-2'));
  t.not(keyIn('made-up-1'), keyIn('far'));
  t.not(keyIn('made-up-1'), keyIn(''));
});

test('assignments for networks that come and go are made anew rather than all kept', async (t) => {
  const context = buildContext({
    services: [buildService()],
    endpoints: [buildEndpoints(buildService(), [{ address: '10.0.0.1' }])],
    networks: networks({ far: { target: { address: '192.0.2.1' }, port: 15443, locality: '' } }),
  });
  const { generate } = createSubject();
  const passing = Array.from({ length: 250 }, (_, index) => {
    return new WeakRef(generate(context, WEB, { requestedNetworkView: [`network-${index}`] }));
  });
  await eventually('most are given back', () => {
    collectGarbage();
    return passing.filter((assignment) => assignment.deref() !== undefined).length <= 100;
  });
  t.deepEqual(addressesIn(generate(context, WEB, { network: 'network-0' })), ['10.0.0.1:8080']);
});
