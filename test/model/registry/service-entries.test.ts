import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { Endpoint } from '../../../src/model/endpoint.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { endpointsOf as endpointsOfService } from '../../../src/model/snapshot/endpoints-of.js';
import { AutoAddresses } from '../../../src/model/store/auto-addresses.js';
import {
  batch,
  contextOf,
  endpoints,
  gone,
  pod,
  service,
  serviceEntry,
  snapshot,
  storeWith,
  workload,
  workloadEntry,
} from '../mesh-objects.js';

const API = 'api.example.com';
const PORTS = [
  { number: 80, name: 'http', protocol: 'HTTP' },
  { number: 90, name: 'tcp', protocol: 'TCP', targetPort: 9090 },
];
const VM = { labels: { app: 'api' } };
const SELECTS_VM = { workloadSelector: VM };

function endpointsOf(context: PushContext, hostname = API): readonly Endpoint[] {
  return context.endpoints.get(hostname)?.shards.get('External/east') ?? [];
}

function placesOf(context: PushContext, hostname = API): readonly string[] {
  return endpointsOf(context, hostname).map(({ address, port, portName }) => `${address}:${port}/${portName}`);
}

test('every host of an entry is a service with all its ports and addresses', (t) => {
  const entry = serviceEntry(
    'shop/api',
    {
      hosts: ['a.example.com', '*.b.example.com'],
      addresses: ['10.97.0.1', '10.98.0.0/24'],
      ports: PORTS,
      exportTo: ['.'],
      subjectAltNames: ['spiffe://x/y'],
      resolution: 'NONE',
    },
    { creationTimestamp: '2026-01-01T00:00:00Z', labels: { team: 'a' } },
  );
  const { services } = contextOf([entry]);
  t.deepEqual(
    services.map(({ hostname }) => hostname),
    ['*.b.example.com', 'a.example.com'],
  );
  t.deepEqual(services[1], {
    hostname: 'a.example.com',
    name: 'a.example.com',
    namespace: 'shop',
    registry: 'External',
    addresses: ['10.97.0.1', '10.98.0.0/24'],
    ports: [
      { name: 'http', number: 80, protocol: 'http' },
      { name: 'tcp', number: 90, protocol: 'tcp' },
    ],
    resolution: 'passthrough',
    headless: false,
    meshExternal: true,
    exportTo: ['.'],
    labels: { team: 'a' },
    subjectAltNames: ['spiffe://x/y'],
    creationTimestamp: '2026-01-01T00:00:00Z',
    source: 'ServiceEntry/shop/api',
  });
});

const RESOLUTIONS = [
  ['NONE', 'passthrough'],
  ['STATIC', 'endpoints'],
  ['DNS', 'dns'],
] as const;

for (const [stated, resolution] of RESOLUTIONS) {
  test(`resolution ${stated} is found by ${resolution}`, (t) => {
    t.is(contextOf([serviceEntry('shop/api', { resolution: stated })]).services[0]?.resolution, resolution);
  });
}

test('a MESH_INTERNAL entry is part of the mesh', (t) => {
  t.is(contextOf([serviceEntry('shop/api', { location: 'MESH_INTERNAL' })]).services[0]?.meshExternal, false);
});

test('an endpoint serves each port on its number, the target port, or the port of its port map', (t) => {
  const listed = [workload('10.0.0.1'), workload('10.0.0.2', { ports: { http: 8080, tcp: 9999 } })];
  t.deepEqual(placesOf(contextOf([serviceEntry('shop/api', { ports: PORTS, endpoints: listed })])), [
    '10.0.0.1:80/http',
    '10.0.0.1:9090/tcp',
    '10.0.0.2:8080/http',
    '10.0.0.2:9999/tcp',
  ]);
});

test('an endpoint carries its network, locality, weight, labels and identity', (t) => {
  const fields = { network: 'lan', locality: 'r/z/s', weight: 7, labels: { v: '1' }, serviceAccount: 'vm' };
  const context = contextOf([serviceEntry('shop/api', { endpoints: [workload('10.0.0.1', fields)] })]);
  const { network, locality, weight, labels, serviceAccount } = endpointsOf(context)[0] as Endpoint;
  t.deepEqual(
    { network, locality, weight, labels, serviceAccount },
    { ...fields, serviceAccount: 'spiffe://cluster.local/ns/shop/sa/vm' },
  );
});

test('weight 0 counts as 1, and no service account is no identity', (t) => {
  const context = contextOf([serviceEntry('shop/api', { endpoints: [workload('10.0.0.1')] })]);
  t.is(endpointsOf(context)[0]?.weight, 1);
  t.is(endpointsOf(context)[0]?.serviceAccount, '');
});

test('a unix socket has no port', (t) => {
  const context = contextOf([serviceEntry('shop/api', { endpoints: [workload('unix:///run/api.sock')] })]);
  t.deepEqual(placesOf(context), ['unix:///run/api.sock:0/http']);
});

test('a DNS entry without endpoints resolves its own host', (t) => {
  t.deepEqual(placesOf(contextOf([serviceEntry('shop/api', { resolution: 'DNS' })])), [`${API}:80/http`]);
  const named = serviceEntry('shop/api', { resolution: 'DNS', endpoints: [workload('eu.example.com')] });
  t.deepEqual(placesOf(contextOf([named])), ['eu.example.com:80/http']);
});

const WORKLOADS: readonly MeshObject[] = [
  workloadEntry('shop/vm-1', '192.168.0.1', { ...VM, ports: { http: 8080 } }),
  workloadEntry('shop/vm-2', '192.168.0.2', { labels: { app: 'db' } }),
  workloadEntry('bank/vm-3', '192.168.0.3', VM),
  pod('shop/api-1', '10.0.0.1', VM),
  pod('shop/api-2', '10.0.0.2', VM, {}, { conditions: [{ type: 'Ready', status: 'False' }] }),
];

test('a selector finds ready pods and workload entries of its namespace', (t) => {
  const entry = serviceEntry('shop/api', SELECTS_VM);
  t.deepEqual(placesOf(contextOf([entry, ...WORKLOADS])), ['10.0.0.1:80/http', '192.168.0.1:8080/http']);
  const withoutPods = contextOf([entry, ...WORKLOADS], { serviceEntriesSelectPods: false });
  t.deepEqual(placesOf(withoutPods), ['192.168.0.1:8080/http']);
});

test('an entry for a host of its namespace adds endpoints to the Service, in a shard of its own', (t) => {
  const context = contextOf([
    service('shop/web'),
    endpoints('shop/web', ['10.0.0.1']),
    serviceEntry('shop/more', { hosts: ['web.shop.svc.cluster.local'], endpoints: [workload('192.168.0.1')] }),
  ]);
  t.is(context.services[0]?.registry, 'Orchestrator');
  const { shards } = context.endpoints.get('web.shop.svc.cluster.local') ?? {};
  t.deepEqual([...(shards?.keys() ?? [])], ['Orchestrator/east', 'External/east']);
  t.deepEqual(context.findings, []);
});

test('an entry of another namespace cannot put endpoints into a service, and is reported', (t) => {
  const context = contextOf([
    service('shop/web'),
    endpoints('shop/web', ['10.0.0.1']),
    serviceEntry('evil/web', { hosts: ['web.shop.svc.cluster.local'], endpoints: [workload('6.6.6.6')] }),
  ]);
  const { shards } = context.endpoints.get('web.shop.svc.cluster.local') ?? {};
  t.deepEqual([...(shards?.keys() ?? [])], ['Orchestrator/east']);
  t.deepEqual(
    context.findings.map(({ metric, key }) => [metric, key]),
    [['nav_duplicate_proxy_clusters', 'web.shop.svc.cluster.local']],
  );
});

const OLD = { creationTimestamp: '2026-01-01T00:00:00Z' };
const NEW = { creationTimestamp: '2026-01-02T00:00:00Z' };

test('of two entries of a namespace for one host the older one is the service, with the ports of both', (t) => {
  const context = contextOf([
    serviceEntry('shop/a-new', { ports: PORTS, endpoints: [workload('10.0.0.1')] }, NEW),
    serviceEntry('shop/b-old', { endpoints: [workload('10.0.0.2')] }, OLD),
  ]);
  t.is(context.servicesByHost.get(API)?.source, 'ServiceEntry/shop/b-old');
  t.deepEqual(placesOf(context), ['10.0.0.1:80/http', '10.0.0.1:9090/tcp', '10.0.0.2:80/http']);
  t.deepEqual(
    context.servicesByHost.get(API)?.ports.map(({ number }) => number),
    [80, 90],
  );
  t.deepEqual(context.findings, []);
});

test('entries that no namespace sees together are no conflict, and each namespace has its own', (t) => {
  const own = { exportTo: ['.'] };
  const context = contextOf([serviceEntry('shop/api', own, NEW), serviceEntry('bank/api', own, OLD)]);
  t.deepEqual(context.findings, []);
  for (const namespace of ['shop', 'bank']) {
    t.deepEqual(
      context.viewOf(namespace).services.map(({ source }) => source),
      [`ServiceEntry/${namespace}/api`],
    );
  }
  t.deepEqual(context.viewOf('other').services, []);
});

test('where namespaces have a host of their own each, each service has its own endpoints', (t) => {
  const own = (namespace: string, ip: string, meta: object) =>
    serviceEntry(`${namespace}/api`, { exportTo: ['.'], endpoints: [workload(ip)] }, meta);
  const context = contextOf([own('shop', '10.0.0.1', NEW), own('bank', '10.0.0.2', OLD)]);
  const addressesSeenBy = (namespace: string) =>
    context.viewOf(namespace).services.map((seen) => {
      const [endpoint] = endpointsOfService(context, seen)?.shards.get('External/east') ?? [];
      return endpoint?.address;
    });
  t.deepEqual(addressesSeenBy('shop'), ['10.0.0.1']);
  t.deepEqual(addressesSeenBy('bank'), ['10.0.0.2']);
});

test('services that only some namespaces see under the host of another are listed, for as long as both are there', (t) => {
  const [shop, bank] = [serviceEntry('shop/api', {}, NEW), serviceEntry('bank/api', {}, OLD)];
  const store = storeWith();
  const shadowed = () =>
    snapshot(store)
      .shadowedByHost.get(API)
      ?.map(({ source }) => source);
  store.apply(batch(shop));
  t.is(shadowed(), undefined);
  store.apply(batch(bank));
  t.deepEqual(shadowed(), ['ServiceEntry/shop/api']);
  store.apply(batch(gone(bank)));
  t.is(shadowed(), undefined);
  t.is(snapshot(store).shadowedByHost.size, 0);
});

test('hosts without address get one of 240.240.0.0/16, unless their proxies need the address that was asked for', (t) => {
  const context = contextOf([
    serviceEntry('shop/a', { hosts: ['a.example.com'] }),
    serviceEntry('shop/b', { hosts: ['b.example.com'], resolution: 'NONE' }),
    serviceEntry('shop/c', { hosts: ['*.c.example.com'] }),
    serviceEntry('shop/d', { hosts: ['d.example.com'], addresses: ['10.97.0.1'] }),
  ]);
  const addressOf = (hostname: string) => context.servicesByHost.get(hostname)?.autoAddress;
  t.regex(addressOf('a.example.com') ?? '', /^240\.240\.\d+\.\d+$/);
  for (const hostname of ['b.example.com', '*.c.example.com', 'd.example.com']) t.is(addressOf(hostname), undefined);
});

test('a second host leaves the address of the first alone', (t) => {
  const first = serviceEntry('shop/a', { hosts: ['a.example.com'] });
  const second = serviceEntry('shop/b', { hosts: ['b.example.com'] });
  const [alone, together] = [contextOf([first]), contextOf([second, first])];
  const addressOf = (context: PushContext) => context.servicesByHost.get('a.example.com')?.autoAddress;
  t.is(addressOf(together), addressOf(alone));
});

test('of two hosts whose addresses meet the older keeps it, also when it comes last', (t) => {
  const alone = new Map<string, string>();
  let pair: readonly [string, string] | undefined;
  for (let index = 0; pair === undefined; index++) {
    const host = `host-${index}.io`;
    const table = new AutoAddresses();
    table.add(`${host}/shop`, '', new Set());
    const address = table.get(`${host}/shop`) as string;
    const other = alone.get(address);
    if (other !== undefined) pair = [other, host];
    alone.set(address, host);
  }
  const [older, younger] = pair;
  const store = storeWith();
  const addressOf = (host: string) => snapshot(store).servicesByHost.get(host)?.autoAddress;
  store.apply(batch(serviceEntry('shop/young', { hosts: [younger] }, NEW)));
  const address = addressOf(younger);
  const { push } = store.apply(batch(serviceEntry('shop/old', { hosts: [older] }, OLD)));
  t.is(addressOf(older), address);
  t.not(addressOf(younger), address);
  t.deepEqual([...(push?.changed ?? [])].sort(), ['ServiceEntry/shop/old', 'ServiceEntry/shop/young']);
});

test('a namespace sees its own service of a host before an older public one', (t) => {
  const context = contextOf([serviceEntry('shop/api', {}, NEW), serviceEntry('bank/api', {}, OLD)]);
  const seenBy = (namespace: string) => context.viewOf(namespace).services.map(({ source }) => source);
  t.deepEqual(seenBy('shop'), ['ServiceEntry/shop/api']);
  t.deepEqual(seenBy('elsewhere'), ['ServiceEntry/bank/api']);
  t.is(context.viewOf('bank'), context.viewOf('elsewhere'));
});
