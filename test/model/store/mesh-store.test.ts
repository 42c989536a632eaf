import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { ObjectChange } from '../../../src/model/object-change.js';
import type { PushChange, StoreChange } from '../../../src/model/store/change-log.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { MESH } from '../../generators/context-builder.js';
import {
  batch,
  endpoints,
  gone,
  node,
  otherObject,
  pod,
  port,
  service,
  serviceEntry,
  snapshot,
  storeWith,
  workload,
  workloadEntry,
} from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const BASE = [service('shop/web'), endpoints('shop/web', ['10.0.0.1'])];

function storeOf(...objects: readonly MeshObject[]): MeshStore {
  const store = storeWith();
  store.apply(batch(...objects));
  return store;
}

/** The push in plain arrays; undefined when there is none. */
function pushOf({ push }: StoreChange): object | undefined {
  if (push === undefined) return undefined;
  const list = (set: PushChange['changed']) => (set === 'everything' ? set : [...set].sort());
  const { full, reasons } = push;
  return {
    full,
    changed: list(push.changed),
    endpoints: list(push.endpoints),
    addresses: list(push.addresses),
    reasons,
  };
}

interface Case {
  readonly rule: string;
  readonly before?: readonly MeshObject[];
  readonly change: readonly (MeshObject | ObjectChange)[];
  readonly push: object | undefined;
}

const ROBOT = pod('shop/p', '10.0.0.1', {}, { serviceAccountName: 'robot' });
const SCALED = endpoints('shop/web', ['10.0.0.1', '10.0.0.2']);
const API = serviceEntry('shop/api', { endpoints: [workload('10.0.0.9')], addresses: ['10.97.0.1'] });
const NAMED = serviceEntry('shop/api', { resolution: 'DNS', endpoints: [workload('a.io')], addresses: ['10.97.0.1'] });
const HEADLESS = service('shop/web', { clusterIP: 'None' });

const CASES: readonly Case[] = [
  {
    rule: 'a new service is a full push',
    before: [],
    change: BASE,
    push: {
      full: true,
      changed: ['Service/shop/web'],
      endpoints: [WEB],
      addresses: ['10.0.0.1'],
      reasons: ['service'],
    },
  },
  {
    rule: 'an endpoint more is a push of endpoints, and of the workload that has a service now',
    change: [SCALED],
    push: { full: false, changed: [], endpoints: [WEB], addresses: ['10.0.0.2'], reasons: ['endpoint', 'proxy'] },
  },
  {
    rule: 'an empty list of endpoints keeps the service',
    change: [endpoints('shop/web', [])],
    push: { full: false, changed: [], endpoints: [WEB], addresses: ['10.0.0.1'], reasons: ['endpoint', 'proxy'] },
  },
  {
    rule: 'endpoints that went are a push of endpoints',
    change: [gone(endpoints('shop/web', []))],
    push: { full: false, changed: [], endpoints: [WEB], addresses: ['10.0.0.1'], reasons: ['endpoint', 'proxy'] },
  },
  {
    rule: 'a new identity among the endpoints is a full push',
    change: [ROBOT],
    push: { full: true, changed: [], endpoints: [WEB], addresses: [], reasons: ['endpoint'] },
  },
  {
    rule: 'a changed service is a full push',
    change: [service('shop/web', { ports: [port(80, 'grpc')] })],
    push: { full: true, changed: ['Service/shop/web'], endpoints: [], addresses: ['10.0.0.1'], reasons: ['service'] },
  },
  {
    rule: 'a deleted service is a full push',
    change: [gone(service('shop/web'))],
    push: {
      full: true,
      changed: ['Service/shop/web'],
      endpoints: [WEB],
      addresses: ['10.0.0.1'],
      reasons: ['service'],
    },
  },
  {
    rule: 'a Service with nothing new for proxies only announces its version',
    change: [service('shop/web', {}, { annotations: { note: 'x' } })],
    push: { full: false, changed: ['Service/shop/web'], endpoints: [], addresses: [], reasons: ['config'] },
  },
  {
    rule: 'a pod that no service has pushes nothing',
    change: [pod('shop/lonely', '10.0.0.7'), node('n1', 'r', 'z')],
    push: undefined,
  },
  {
    rule: 'endpoints of a service that is not there push nothing',
    change: [endpoints('shop/other', ['10.0.0.8'])],
    push: undefined,
  },
  {
    rule: 'deleting what is not there does nothing',
    change: [gone(service('shop/other'))],
    push: undefined,
  },
  {
    rule: 'an object in the version that is known already does nothing',
    before: [service('shop/web', {}, { resourceVersion: 'same' })],
    change: [service('shop/web', { clusterIP: '10.96.0.2' }, { resourceVersion: 'same' })],
    push: undefined,
  },
  {
    rule: 'the locality of a node reaches the endpoints on it',
    before: [...BASE, pod('shop/p', '10.0.0.1', {}, { nodeName: 'n1' })],
    change: [node('n1', 'r', 'z')],
    push: { full: false, changed: [], endpoints: [WEB], addresses: [], reasons: ['endpoint'] },
  },
  {
    rule: 'a changed ServiceEntry with other endpoints alone is a push of endpoints that tells its version',
    before: [API],
    change: [serviceEntry('shop/api', { endpoints: [workload('10.0.0.8')], addresses: ['10.97.0.1'] })],
    push: {
      full: false,
      changed: ['ServiceEntry/shop/api'],
      endpoints: ['api.example.com'],
      addresses: ['10.0.0.8', '10.0.0.9'],
      reasons: ['endpoint', 'proxy'],
    },
  },
  {
    rule: 'endpoints that the proxy resolves are in its clusters: a full push',
    before: [NAMED],
    change: [serviceEntry('shop/api', { resolution: 'DNS', endpoints: [workload('b.io')], addresses: ['10.97.0.1'] })],
    push: {
      full: true,
      changed: ['ServiceEntry/shop/api'],
      endpoints: ['api.example.com'],
      addresses: [],
      reasons: ['endpoint'],
    },
  },
  {
    rule: 'endpoints of a headless service have listeners of their own: a full push',
    before: [HEADLESS, endpoints('shop/web', ['10.0.0.1'])],
    change: [SCALED],
    push: { full: true, changed: [], endpoints: [WEB], addresses: ['10.0.0.2'], reasons: ['endpoint'] },
  },
  {
    rule: 'a WorkloadEntry that a service selects is an endpoint, and tells its version',
    before: [service('shop/web', { selector: { app: 'web' } }), endpoints('shop/web', ['10.0.0.1'])],
    change: [workloadEntry('shop/vm', '192.168.0.1', { labels: { app: 'web' } })],
    push: {
      full: false,
      changed: ['WorkloadEntry/shop/vm'],
      endpoints: [WEB],
      addresses: ['192.168.0.1'],
      reasons: ['endpoint', 'proxy'],
    },
  },
  {
    rule: 'every other kind is a full push of that object',
    change: [otherObject('DestinationRule', 'shop/rule')],
    push: { full: true, changed: ['DestinationRule/shop/rule'], endpoints: [], addresses: [], reasons: ['config'] },
  },
];

for (const { rule, before = BASE, change, push } of CASES) {
  test(`push: ${rule}`, (t) => {
    t.deepEqual(pushOf(storeOf(...before).apply(batch(...change))), push);
  });
}

test('a service that loses its last endpoint and gets it back needs no full push', (t) => {
  const store = storeOf(...BASE, ROBOT);
  t.is(store.apply(batch(endpoints('shop/web', []))).push?.full, false);
  t.is(store.apply(batch(endpoints('shop/web', ['10.0.0.1']))).push?.full, false);
});

test('a pod that comes after its endpoint is picked up', (t) => {
  const store = storeOf(...BASE);
  store.apply(batch(pod('shop/p', '10.0.0.1', { labels: { v: '1' } })));
  const [endpoint] = snapshot(store).endpoints.get(WEB)?.shards.get('Orchestrator/east') ?? [];
  t.deepEqual(endpoint?.labels, { v: '1' });
});

test('readiness changes the endpoints of clients, and not the ports of the workload', (t) => {
  const app = { labels: { app: 'web' } };
  const store = storeOf(service('shop/web', { selector: { app: 'web' } }), pod('shop/p', '10.0.0.1', app));
  const notReady = { conditions: [{ type: 'Ready', status: 'False' }] };
  const { push } = store.apply(batch(pod('shop/p', '10.0.0.1', app, {}, notReady)));
  t.deepEqual([...(push?.endpoints ?? [])], [WEB]);
  t.is(push?.addresses.size, 0);
});

test('updates are counted for nav_inbound_updates', (t) => {
  const store = storeWith();
  t.deepEqual(store.apply(batch(...BASE, API)).updates, { config: 1, eds: 2, svc: 2, svcdelete: 0 });
  t.deepEqual(store.apply(batch(SCALED)).updates, { config: 0, eds: 1, svc: 0, svcdelete: 0 });
  t.deepEqual(store.apply(batch(gone(API))).updates, { config: 1, eds: 1, svc: 0, svcdelete: 1 });
});

test('mesh config and networks push everything, and objects are translated again with them', (t) => {
  const store = storeOf(...BASE, pod('shop/p', '10.0.0.1'));
  const mesh = { ...MESH, trustDomain: 'acme.io', defaultServiceExportTo: ['.'] };
  t.deepEqual(pushOf(store.setMesh(mesh)), {
    full: true,
    changed: 'everything',
    endpoints: [WEB],
    addresses: ['10.0.0.1'],
    reasons: ['global'],
  });
  const networks = { networks: new Map([['lan', { endpoints: [{ fromCidr: '10.0.0.0/8' }], gateways: [] }]]) };
  t.deepEqual(store.setNetworks(networks).push?.reasons, ['global']);
  const context = snapshot(store);
  t.is(context.mesh, mesh);
  t.is(context.networks, networks);
  t.deepEqual(context.servicesByHost.get(WEB)?.exportTo, ['.']);
  const [endpoint] = context.endpoints.get(WEB)?.shards.get('Orchestrator/east') ?? [];
  t.is(endpoint?.network, 'lan');
  t.is(endpoint?.serviceAccount, 'spiffe://acme.io/ns/shop/sa/default');
});

test('a mesh config with an empty default export exports to all', (t) => {
  const store = storeWith({}, { mesh: { ...MESH, defaultServiceExportTo: [] } });
  store.apply(batch(...BASE));
  t.deepEqual(snapshot(store).services[0]?.exportTo, ['*']);
});

test('with a revision, objects of the mesh with another one are ignored, and leave when they get it', (t) => {
  const store = storeWith({ revision: 'canary' });
  const labelled = (revision: string) => ({ labels: { 'mesh.internal/rev': revision } });
  const applied = store.apply(
    batch(
      serviceEntry('shop/a', { hosts: ['a.io'] }, labelled('canary')),
      serviceEntry('shop/b', { hosts: ['b.io'] }, labelled('stable')),
      serviceEntry('shop/c', { hosts: ['c.io'] }),
      service('shop/web', {}, labelled('stable')),
    ),
  );
  t.is(applied.updates.svc, 3);
  const hosts = () => snapshot(store).services.map(({ hostname }) => hostname);
  t.deepEqual(hosts(), ['a.io', 'c.io', WEB]);
  store.apply(batch(serviceEntry('shop/a', { hosts: ['a.io'] }, labelled('stable'))));
  t.deepEqual(hosts(), ['c.io', WEB]);
});

test('endpoints of one service in two clusters are kept apart by shard, and the own cluster describes it', (t) => {
  const store = storeOf(service('shop/web', { clusterIP: '10.96.0.1' }), endpoints('shop/web', ['10.0.0.1']));
  const remote = [service('shop/web', { clusterIP: '10.200.0.1' }), endpoints('shop/web', ['10.1.0.1'])];
  store.apply({ ...batch(...remote), cluster: 'a-west' });
  const context = snapshot(store);
  t.deepEqual(context.services[0]?.addresses, ['10.96.0.1']);
  t.deepEqual([...(context.endpoints.get(WEB)?.shards.keys() ?? [])], ['Orchestrator/east', 'Orchestrator/a-west']);
  t.deepEqual(context.findings, []);
});

test('objects are shown by kind, those of the own cluster before those of others', (t) => {
  const [own, remote, only] = [service('shop/web'), service('shop/web'), service('shop/db')];
  const store = storeWith();
  store.apply({ ...batch(remote, only), cluster: 'a-west' });
  store.apply(batch(own));
  const shown = () => snapshot(store).objects.get('Service');
  t.is(shown()?.get('Service/shop/web'), own);
  t.is(shown()?.get('Service/shop/db'), only);
  store.apply(batch(gone(own)));
  t.is(shown()?.get('Service/shop/web'), remote);
});
