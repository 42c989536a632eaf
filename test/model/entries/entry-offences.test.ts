import test from 'ava';
import type { ServiceEntrySpec } from '../../../src/config/networking/service-entry.js';
import type { MeshObject, ObjectMeta } from '../../../src/config/object.js';
import type { EntryGuard } from '../../../src/model/entries/entry-guard.js';
import { type EntryOffence, entryOffences } from '../../../src/model/entries/entry-offences.js';
import { serviceEntry } from '../mesh-objects.js';

const GUARD: EntryGuard = {
  domain: 'cluster.local',
  rootNamespace: 'mesh-system',
  serviceEntryScope: 'GUARDED',
  defaultServiceExportTo: ['*'],
  isNamespace: (name) => ['shop', 'evil', 'mesh-system'].includes(name),
  isService: (name, namespace) => name === 'web' && namespace === 'shop',
  foreignAddressIn: () => undefined,
};

type Entry = MeshObject<'ServiceEntry', ServiceEntrySpec>;

const ofCluster = (fields: Partial<ServiceEntrySpec>, meta: Partial<ObjectMeta> = {}): Entry => ({
  ...(serviceEntry('evil/e', fields, meta) as Entry),
  origin: 'cluster',
});

const offencesOf = (fields: Partial<ServiceEntrySpec>, guard: Partial<EntryGuard> = {}): readonly EntryOffence[] =>
  entryOffences(ofCluster(fields), { ...GUARD, ...guard });

const FOREIGN_HOSTS = [
  'web.shop.svc.cluster.local',
  'not-there-yet.shop.svc.cluster.local',
  'WEB.Shop.SVC.cluster.LOCAL',
  'web.shop.svc.cluster.local.',
  '*.shop.svc.cluster.local',
  '*.svc.cluster.local',
  '*.cluster.local',
  '*.local',
  'web-0.web.shop.svc.cluster.local',
  'evil.svc.cluster.local',
  'something.cluster.local',
  'web.shop.svc',
  'later.shop.svc',
  '*.svc',
  '*.shop.svc',
  'web.shop',
  'later.shop',
  'Web.SHOP',
  'web-0.web.shop',
  '*.web.shop',
  '*.shop',
  'web',
  '*.com',
] as const;
for (const host of FOREIGN_HOSTS) {
  test(`an entry may not give ${host} to other namespaces`, (t) => {
    const [offence, ...more] = offencesOf({ hosts: [host, 'api.example.com'] });
    t.is(offence?.path, 'hosts[0]');
    t.is(offence?.host, host);
    t.true(offence?.isRefused);
    t.deepEqual(more, []);
  });
}

const OWN_HOSTS = [
  'api.example.com',
  '*.example.com',
  'web.evil.svc.cluster.local',
  '*.evil.svc.cluster.local',
  'web.evil.svc',
  'web.evil',
  '*.evil',
  'web.other.shop',
  'cluster.local.example.com',
  'svc.example.com',
  'notcluster.local.net',
];
for (const host of OWN_HOSTS) {
  test(`an entry may give ${host} to other namespaces`, (t) => {
    t.deepEqual(offencesOf({ hosts: [host] }), []);
  });
}

const GUARDED_ADDRESSES: readonly (readonly [addresses: readonly string[], at: number])[] = [
  [['0.0.0.0/1'], 0],
  [['0.0.0.0/0'], 0],
  [['8.0.0.0/6'], 0],
  [['11.0.0.0/15'], 0],
  [['::/0'], 0],
  [['2001:db8::/63'], 0],
  [['::ffff:8.0.0.0/100'], 0],
  [['127.0.0.1'], 0],
  [['::1'], 0],
  [['169.254.169.254'], 0],
  [['fe80::1'], 0],
  [['0.0.0.0'], 0],
  [['::'], 0],
  [['224.0.0.1'], 0],
  [['240.240.0.1'], 0],
  [['::ffff:127.0.0.1'], 0],
  [['11.0.0.0/17', '12.0.0.0/17', '13.0.0.0/24'], 2],
];
for (const [addresses, at] of GUARDED_ADDRESSES) {
  test(`an entry may not give ${addresses.join(' and ')} to other namespaces`, (t) => {
    const offences = offencesOf({ addresses, resolution: 'NONE' });
    t.deepEqual(
      offences.map(({ path }) => path),
      [`addresses[${at}]`],
    );
    t.true(offences[0]?.isRefused);
  });
}

test('an entry may give single addresses and small ranges to other namespaces', (t) => {
  const addresses = ['11.0.0.0/17', '12.0.0.0/24', '203.0.113.7', '2001:db8::/64', '10.1.2.3'];
  t.deepEqual(offencesOf({ addresses }), []);
});

test('the cluster IP of a Service of another namespace is named with the Service', (t) => {
  const foreignAddressIn = () => ({ address: '10.96.0.7', namespace: 'shop', service: 'web' });
  const [offence] = offencesOf({ addresses: ['10.96.0.0/24'] }, { foreignAddressIn });
  t.is(offence?.message, 'has 10.96.0.7, the cluster IP of Service shop/web');
});

const TCP = { number: 3306, name: 'db' };
for (const protocol of ['TCP', 'mysql', 'MONGO', 'REDIS', '']) {
  test(`a port of protocol ${JSON.stringify(protocol)} without an address is warned of, not refused`, (t) => {
    const [offence] = offencesOf({ ports: [{ ...TCP, protocol }], resolution: 'DNS' });
    t.is(offence?.path, 'ports[0]');
    t.false(offence?.isRefused);
    t.is(offence?.host, undefined);
  });
}

test('a port that a host or server name identifies, or that serves no connections, takes none of other services', (t) => {
  for (const protocol of ['HTTP', 'GRPC', 'HTTPS', 'TLS', 'UDP', 'http2']) {
    t.deepEqual(offencesOf({ ports: [{ ...TCP, protocol }] }), []);
  }
  t.deepEqual(offencesOf({ ports: [{ ...TCP, protocol: 'TCP' }], addresses: ['203.0.113.7'] }), []);
  t.deepEqual(offencesOf({ ports: [{ ...TCP, protocol: 'TCP' }], resolution: 'NONE' }), []);
});

const HOSTILE = { hosts: ['web.shop.svc.cluster.local'], addresses: ['0.0.0.0/1'] };

test('an entry that acts on its own namespace alone may claim everything', (t) => {
  t.deepEqual(offencesOf({ ...HOSTILE, exportTo: ['.'] }), []);
  t.deepEqual(offencesOf({ ...HOSTILE, exportTo: ['evil'] }), []);
  t.deepEqual(offencesOf(HOSTILE, { defaultServiceExportTo: ['.'] }), []);
  t.not(offencesOf({ ...HOSTILE, exportTo: ['shop'] }).length, 0);
});

test('entries of the root namespace and of files may claim everything', (t) => {
  t.deepEqual(entryOffences(ofCluster(HOSTILE, { namespace: 'mesh-system' }), GUARD), []);
  t.deepEqual(entryOffences(serviceEntry('evil/e', HOSTILE) as Entry, GUARD), []);
});

test('serviceEntryScope lets entries claim everything, or act on their own namespace alone', (t) => {
  t.deepEqual(offencesOf(HOSTILE, { serviceEntryScope: 'ALL_NAMESPACES' }), []);
  const [offence, ...more] = offencesOf({ hosts: ['api.example.com'] }, { serviceEntryScope: 'OWN_NAMESPACE' });
  t.deepEqual([offence?.path, offence?.isRefused, more], ['exportTo', false, []]);
  t.deepEqual(offencesOf({ exportTo: ['.'] }, { serviceEntryScope: 'OWN_NAMESPACE' }), []);
});
