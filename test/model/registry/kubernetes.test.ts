import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { Endpoint } from '../../../src/model/endpoint.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { Service } from '../../../src/model/service.js';
import { contextOf, endpoints, node, pod, port, service, slice, workloadEntry } from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const SHARD = 'Orchestrator/east';

function serviceOf(context: PushContext, hostname = WEB): Partial<Service> {
  return context.servicesByHost.get(hostname) ?? {};
}

function endpointsOf(context: PushContext, hostname = WEB): readonly Endpoint[] {
  return context.endpoints.get(hostname)?.shards.get(SHARD) ?? [];
}

/** `address:port/portName` of each endpoint. */
function placesOf(context: PushContext): readonly string[] {
  return endpointsOf(context).map(({ address, port: number, portName }) => `${address}:${number}/${portName}`);
}

function findingsOf(context: PushContext): readonly string[] {
  return context.findings.map(({ metric, key }) => `${metric} ${key}`);
}

const targetRef = { kind: 'Pod', namespace: 'shop', name: 'web-1' };
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const NOT_READY = { conditions: [{ type: 'Ready', status: 'False' }] };
const APP = { labels: { app: 'web' } };
const SELECTS_APP = { selector: { app: 'web' } };

test('a Service becomes a service of the mesh with its protocols, addresses and age', (t) => {
  const object = service(
    'shop/web',
    {
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1', 'fd00::1'],
      ports: [port(80, 'http'), port(53, 'dns', { protocol: 'UDP' }), port(90, 'x', { protocol: 'SCTP' })],
    },
    { labels: { team: 'a' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  );
  t.deepEqual(contextOf([object]).services, [
    {
      hostname: WEB,
      name: 'web',
      namespace: 'shop',
      registry: 'Orchestrator',
      addresses: ['10.96.0.1', 'fd00::1'],
      ports: [
        { name: 'http', number: 80, protocol: 'http' },
        { name: 'dns', number: 53, protocol: 'udp' },
      ],
      resolution: 'endpoints',
      headless: false,
      meshExternal: false,
      exportTo: ['*'],
      labels: { team: 'a' },
      subjectAltNames: [],
      creationTimestamp: '2026-01-01T00:00:00Z',
      source: 'Service/shop/web',
    },
  ]);
});

test('a headless service keeps the original destination, unless the setting sends its endpoints', (t) => {
  const objects = [service('shop/web', { clusterIP: 'None' })];
  const { addresses, headless, resolution } = serviceOf(contextOf(objects));
  t.deepEqual({ addresses, headless, resolution }, { addresses: [], headless: true, resolution: 'passthrough' });
  t.is(serviceOf(contextOf(objects, { edsForHeadlessServices: true })).resolution, 'endpoints');
});

test('an ExternalName service is resolved by its other name', (t) => {
  const context = contextOf([
    service('shop/web', { type: 'ExternalName', externalName: 'db.example.com', selector: { app: 'web' } }),
  ]);
  const { addresses, externalName, meshExternal, resolution } = serviceOf(context);
  t.deepEqual(
    { addresses, externalName, meshExternal, resolution },
    { addresses: [], externalName: 'db.example.com', meshExternal: true, resolution: 'dns' },
  );
  t.deepEqual(placesOf(context), ['db.example.com:80/http']);
});

test('the exportTo annotation is a comma list of namespaces', (t) => {
  const annotations = { 'networking.mesh.internal/exportTo': ' ., bank,' };
  t.deepEqual(serviceOf(contextOf([service('shop/web', {}, { annotations })])).exportTo, ['.', 'bank']);
});

test('the mesh domain is part of the annotation name', (t) => {
  const annotations = { 'networking.acme.io/exportTo': '.' };
  const objects = [service('shop/web', {}, { annotations })];
  t.deepEqual(serviceOf(contextOf(objects)).exportTo, ['*']);
  t.deepEqual(serviceOf(contextOf(objects, { meshDomain: 'acme.io' })).exportTo, ['.']);
});

test('an endpoint takes labels, identity, workload and locality from its pod and the pod its node', (t) => {
  const labels = { app: 'web', 'pod-template-hash': '7d9', 'security.mesh.internal/tlsMode': 'mesh' };
  const context = contextOf([
    service('shop/web'),
    endpoints('shop/web', ['10.0.0.1']),
    pod('shop/web-7d9-x2x', '10.0.0.1', { labels }, { nodeName: 'n1', serviceAccountName: 'robot' }),
    node('n1', 'eu', 'eu-1'),
  ]);
  t.deepEqual(endpointsOf(context), [
    {
      address: '10.0.0.1',
      port: 8080,
      portName: 'http',
      health: 'healthy',
      labels,
      locality: 'eu/eu-1',
      network: '',
      weight: 1,
      serviceAccount: 'spiffe://cluster.local/ns/shop/sa/robot',
      tlsMode: 'mesh',
      workloadName: 'web',
      namespace: 'shop',
      hostname: '',
    },
  ]);
  t.deepEqual(context.endpoints.get(WEB)?.serviceAccounts, ['spiffe://cluster.local/ns/shop/sa/robot']);
});

test('the trust domain of the flag comes before that of the mesh config', (t) => {
  const objects = [service('shop/web'), endpoints('shop/web', ['10.0.0.1']), pod('shop/p', '10.0.0.1')];
  const [endpoint] = endpointsOf(contextOf(objects, { trustDomain: 'acme@io' }));
  t.is(endpoint?.serviceAccount, 'spiffe://acme.io/ns/shop/sa/default');
});

test('a named pod decides before whichever pod has the address', (t) => {
  const listed = { addresses: [{ ip: '10.0.0.1', targetRef }], notReadyAddresses: [], ports: [] };
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];
  const context = contextOf([
    service('shop/web'),
    endpoints('shop/web', [], { subsets: [{ ...listed, ports }] }),
    pod('shop/web-1', '10.0.0.1', { labels: { is: 'named' } }, { hostNetwork: true }),
    pod('shop/other', '10.0.0.1', { labels: { is: 'other' } }),
  ]);
  t.deepEqual(endpointsOf(context)[0]?.labels, { is: 'named' });
});

test('an endpoint whose pod is not known is served without identity and reported', (t) => {
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];
  const subset = { addresses: [{ ip: '10.0.0.1', targetRef }], notReadyAddresses: [], ports };
  const objects = [service('shop/web'), endpoints('shop/web', [], { subsets: [subset] })];
  const context = contextOf(objects);
  t.is(endpointsOf(context)[0]?.serviceAccount, '');
  t.deepEqual(findingsOf(context), [`endpoint_no_pod ${WEB}|10.0.0.1`]);
  t.deepEqual(findingsOf(contextOf([...objects, pod('shop/web-1', '10.0.0.1')])), []);
});

test('an endpoint that names no pod needs none', (t) => {
  t.deepEqual(findingsOf(contextOf([service('shop/web'), endpoints('shop/web', ['10.0.0.1'])])), []);
});

test('addresses that are not ready are reported instead of served, unless the service publishes them', (t) => {
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];
  const subset = { addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports };
  const listed = endpoints('shop/web', [], { subsets: [subset] });
  const context = contextOf([service('shop/web'), listed]);
  t.deepEqual(placesOf(context), ['10.0.0.1:8080/http']);
  t.deepEqual(findingsOf(context), [`nav_endpoint_not_ready ${WEB}|10.0.0.2`]);
  const published = contextOf([service('shop/web', { publishNotReadyAddresses: true }), listed]);
  t.deepEqual(placesOf(published), ['10.0.0.1:8080/http', '10.0.0.2:8080/http']);
  t.deepEqual(findingsOf(published), []);
});

const SLICED = slice('shop/web-abc', 'web', { endpoints: [{ addresses: ['10.0.1.1'] }] });
const LISTED = endpoints('shop/web', ['10.0.0.1']);

const SOURCES: readonly (readonly [string, boolean, readonly MeshObject[], readonly string[]])[] = [
  ['Endpoints come first by default', false, [LISTED, SLICED], ['10.0.0.1:8080/http']],
  ['EndpointSlices come first when the setting says so', true, [LISTED, SLICED], ['10.0.1.1:8080/http']],
  ['EndpointSlices serve a service that has no Endpoints', false, [SLICED], ['10.0.1.1:8080/http']],
  ['Endpoints serve a service that has no EndpointSlices', true, [LISTED], ['10.0.0.1:8080/http']],
  ['Endpoints without addresses are an answer too', false, [endpoints('shop/web', []), SLICED], []],
];

for (const [rule, useEndpointSlice, objects, expected] of SOURCES) {
  test(`of the two kinds that list endpoints one is read: ${rule}`, (t) => {
    t.deepEqual(placesOf(contextOf([service('shop/web'), ...objects], { useEndpointSlice })), expected);
  });
}

test('slices of one service are read together, an endpoint in two of them once', (t) => {
  const first = slice('shop/web-a', 'web', { endpoints: [{ addresses: ['10.0.0.2'] }, { addresses: ['10.0.0.1'] }] });
  const second = slice('shop/web-b', 'web', { endpoints: [{ addresses: ['10.0.0.2'] }, { addresses: ['10.0.0.3'] }] });
  const foreign = slice('bank/web-a', 'web', { endpoints: [{ addresses: ['10.0.0.9'] }] });
  t.deepEqual(placesOf(contextOf([service('shop/web'), first, second, foreign])), [
    '10.0.0.1:8080/http',
    '10.0.0.2:8080/http',
    '10.0.0.3:8080/http',
  ]);
});

test('a slice endpoint that is not ready is reported; one on its way out is just gone', (t) => {
  const context = contextOf([
    service('shop/web'),
    slice('shop/web-a', 'web', {
      endpoints: [
        { addresses: ['10.0.0.1'], conditions: { ready: false } },
        { addresses: ['10.0.0.2'], conditions: { ready: false, serving: true, terminating: true } },
        { addresses: ['10.0.0.3'], conditions: {} },
      ],
    }),
  ]);
  t.deepEqual(placesOf(context), ['10.0.0.3:8080/http']);
  t.deepEqual(findingsOf(context), [`nav_endpoint_not_ready ${WEB}|10.0.0.1`]);
});

test('a dual-stack service is served at addresses of its first family, each pod once', (t) => {
  const slices = [
    slice('shop/web-4', 'web', { endpoints: [{ addresses: ['10.0.0.1'] }] }),
    slice('shop/web-6', 'web', { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] }),
    slice('shop/web-n', 'web', { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }] }),
  ];
  t.deepEqual(placesOf(contextOf([service('shop/web'), ...slices])), ['10.0.0.1:8080/http']);
  t.deepEqual(placesOf(contextOf([service('shop/web', { clusterIP: 'fd00::9' }), ...slices])), ['fd00::1:8080/http']);
});

test('the zone of a slice stands in for a node that is not known', (t) => {
  const listed = slice('shop/web-a', 'web', { endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n1', zone: 'z1' }] });
  t.is(endpointsOf(contextOf([service('shop/web'), listed]))[0]?.locality, '/z1');
  t.is(endpointsOf(contextOf([service('shop/web'), listed, node('n1', 'r', 'z2')]))[0]?.locality, 'r/z2');
});

test('without anything that lists endpoints, the pods that the selector matches serve', (t) => {
  const containers = [{ name: 'app', ports: [{ name: 'web', containerPort: 9090, protocol: 'TCP' as const }] }];
  const ports = [port(80, 'http', { targetPort: 'web' }), port(81, 'tcp', { targetPort: 7070 }), port(82, 'grpc')];
  const context = contextOf([
    service('shop/web', { ...SELECTS_APP, ports }),
    pod('shop/web-1', '10.0.0.1', APP, { containers }),
    pod('shop/other', '10.0.0.2', { labels: { app: 'db' } }, { containers }),
    pod('bank/web-1', '10.0.0.3', APP, { containers }),
  ]);
  t.deepEqual(placesOf(context), ['10.0.0.1:82/grpc', '10.0.0.1:7070/tcp', '10.0.0.1:9090/http']);
});

test('a pod without the named port does not serve that port', (t) => {
  const ports = [port(80, 'http', { targetPort: 'web' }), port(81, 'tcp')];
  const context = contextOf([service('shop/web', { ...SELECTS_APP, ports }), pod('shop/web-1', '10.0.0.1', APP)]);
  t.deepEqual(placesOf(context), ['10.0.0.1:81/tcp']);
});

const READINESS: readonly (readonly [string, Parameters<typeof pod>[4], boolean])[] = [
  ['a Ready condition that is true', READY, true],
  ['a Ready condition that is false', NOT_READY, false],
  ['no condition while it is running', { conditions: [] }, true],
  ['no condition while it is pending', { phase: 'Pending' }, false],
  ['a finished pod', { phase: 'Succeeded' }, false],
];

for (const [state, status, serves] of READINESS) {
  test(`a selected pod ${serves ? 'serves' : 'does not serve'} with ${state}`, (t) => {
    const context = contextOf([service('shop/web', SELECTS_APP), pod('shop/web-1', '10.0.0.1', APP, {}, status)]);
    t.is(endpointsOf(context).length, serves ? 1 : 0);
  });
}

test('a service without selector selects no pod', (t) => {
  t.deepEqual(placesOf(contextOf([service('shop/web'), pod('shop/web-1', '10.0.0.1', APP)])), []);
});

test('a pod of a headless service has its own host name there', (t) => {
  const spec = { hostname: 'web-1', subdomain: 'web' };
  const objects = [
    service('shop/web', { ...SELECTS_APP, clusterIP: 'None' }),
    pod('shop/web-1', '10.0.0.1', APP, spec),
  ];
  t.is(endpointsOf(contextOf(objects))[0]?.hostname, 'web-1');
});

test('a Service selects WorkloadEntries beside its other endpoints', (t) => {
  const vm = workloadEntry('shop/vm', '192.168.0.1', {
    labels: { app: 'web' },
    ports: { http: 9000 },
    serviceAccount: 'vm',
    weight: 5,
  });
  const objects = [service('shop/web', SELECTS_APP), endpoints('shop/web', ['10.0.0.1']), vm];
  const context = contextOf(objects);
  t.deepEqual(placesOf(context), ['10.0.0.1:8080/http', '192.168.0.1:9000/http']);
  const { serviceAccount, weight, workloadName } = endpointsOf(context)[1] as Endpoint;
  t.deepEqual([serviceAccount, weight, workloadName], ['spiffe://cluster.local/ns/shop/sa/vm', 5, 'vm']);
  t.deepEqual(placesOf(contextOf(objects, { servicesSelectWorkloadEntries: false })), ['10.0.0.1:8080/http']);
});

test('an entry with a name for an address cannot serve endpoints that we send', (t) => {
  const vm = workloadEntry('shop/vm', 'vm.example.com', { labels: { app: 'web' } });
  t.deepEqual(placesOf(contextOf([service('shop/web', SELECTS_APP), vm])), []);
});

test('among pods at one address, the pod with an address of its own decides', (t) => {
  const context = contextOf([
    service('shop/web'),
    endpoints('shop/web', ['10.0.0.1']),
    pod('shop/a-agent', '10.0.0.1', { labels: { is: 'agent' } }, { hostNetwork: true }),
    pod('shop/b-web', '10.0.0.1', { labels: { is: 'web' } }),
  ]);
  t.deepEqual(endpointsOf(context)[0]?.labels, { is: 'web' });
});
