import test from 'ava';
import { createDefaultMeshConfig } from '../../../../src/config/mesh/read-mesh-config.js';
import { createMeshOwners, type OwnersContext } from '../../../../src/policy/server/callers/mesh-owners.js';
import type { WorkloadCaller } from '../../../../src/policy/server/callers/service-owners.js';
import { buildPort, buildService } from '../../../generators/context-builder.js';

const HOST = 'books.shop.svc.cluster.local';
const books = buildService({ name: 'books', namespace: 'shop', hostname: HOST });
const twin = buildService({ name: 'books', namespace: 'twin', hostname: HOST });
const account = (name: string): string => `spiffe://cluster.local/ns/shop/sa/${name}`;
const caller = (namespace: string, serviceAccount: string, address = '10.244.0.6'): WorkloadCaller => ({
  type: 'workload',
  identity: { trustDomain: 'cluster.local', namespace, serviceAccount },
  address,
});

/** A mesh with the service and its endpoints' accounts. @param listed addresses of its workloads, ready or not */
function contextOf(accounts: readonly string[], listed: readonly string[] = []): OwnersContext {
  const port = buildPort({ number: 80 });
  return {
    mesh: createDefaultMeshConfig(),
    servicesByHost: new Map([[HOST, books]]),
    shadowedByHost: new Map([[HOST, [twin]]]),
    endpoints: new Map([[HOST, { hostname: HOST, namespace: 'shop', shards: new Map(), serviceAccounts: accounts }]]),
    targetsOf: ({ configNamespace, ipAddresses }) =>
      configNamespace === 'shop' && listed.includes(ipAddresses[0] ?? '')
        ? [{ service: books, port, targetPort: 80 }]
        : [],
  };
}

const ownership = (context: OwnersContext, who: WorkloadCaller) => createMeshOwners()(context).ownership(HOST, who);

test('a workload with the service account of an endpoint owns the service', (t) => {
  t.is(ownership(contextOf([account('books')]), caller('shop', 'books')), 'own');
});

test('another account of the namespace does not, and no account of another namespace', (t) => {
  t.is(ownership(contextOf([account('books')]), caller('shop', 'reader')), 'foreign');
  t.is(ownership(contextOf([account('books')]), caller('evil', 'books')), 'foreign');
});

test('where no account of an endpoint is known, every workload of the namespace owns it', (t) => {
  t.is(ownership(contextOf([]), caller('shop', 'reader')), 'own');
  t.is(ownership(contextOf([]), caller('evil', 'reader')), 'foreign');
});

test('a workload with a new account owns the service that lists its address, before it is ready', (t) => {
  const context = contextOf([account('books')], ['10.244.0.9']);
  t.is(ownership(context, caller('shop', 'new', '10.244.0.9')), 'own');
  t.is(ownership(context, caller('shop', 'new', '::ffff:10.244.0.9')), 'own', 'IPv4 on an IPv6 socket');
  t.is(ownership(context, caller('shop', 'new', '10.244.0.8')), 'foreign');
});

test('a workload finishes its requests over the same connection after its endpoint is removed', (t) => {
  const ownersOf = createMeshOwners();
  const ending = caller('shop', 'books');
  t.is(ownersOf(contextOf([account('books')])).ownership(HOST, ending), 'own');
  const after = contextOf([account('other')]);
  t.is(ownersOf(after).ownership(HOST, ending), 'own');
  t.is(ownersOf(after).ownership(HOST, caller('shop', 'books')), 'foreign', 'another connection');
});

test('a namespace with its own service of the same host, and a host without a service, are distinguished', (t) => {
  t.is(ownership(contextOf([]), caller('twin', 'books')), 'shadowed');
  t.is(createMeshOwners()(contextOf([])).ownership('nothing.example', caller('shop', 'books')), 'unknown');
});
