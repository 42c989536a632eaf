import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { createGatewayIndexer } from '../../../src/model/gateways/gateway-index.js';
import { MAX_ROUTER_HOSTS, mergeServers } from '../../../src/model/gateways/merge-servers.js';
import type { ServiceTarget } from '../../../src/model/proxy.js';
import { buildService } from '../../generators/context-builder.js';
import { gatewayObject, type ServerFields } from './gateway-object.js';

const HTTP = { port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['a.example.com'] };
const TCP = { port: { number: 9000, name: 'tcp', protocol: 'TCP' }, hosts: ['*'] };
const tls = (name: string, hosts: readonly string[]): ServerFields => ({
  port: { number: 443, name, protocol: 'HTTPS' },
  hosts,
  tls: { mode: 'SIMPLE', credentialName: name },
});

function merge(objects: readonly MeshObject[], targets: readonly ServiceTarget[] = []) {
  const source = new Map([['Gateway', new Map(objects.map((object) => [object.metadata.name, object]))]]);
  const gateways = createGatewayIndexer()({ objects: source, mesh: { rootNamespace: 'mesh-system' } });
  const selected = gateways.of({ namespace: 'edge', labels: { app: 'ingress' }, onlyOwnNamespace: false });
  const { ports, conflicts } = mergeServers(selected, targets);
  return {
    ports: ports.map(({ bind, port, kind, servers }) => [
      `${bind}:${port} ${kind}`,
      servers.map(({ gateway, hosts }) => `${gateway} ${hosts.map(({ host }) => host).join()}`),
    ]),
    conflicts: conflicts.map(({ object, field, message }) => `${object} ${field} ${message}`),
  };
}

test('plaintext servers of several Gateways share a port, the oldest first', (t) => {
  const young = gatewayObject('young', [{ ...HTTP, hosts: ['b.example.com'] }], { created: '2026-02-01T00:00:00Z' });
  const old = gatewayObject('old', [HTTP], { created: '2026-01-01T00:00:00Z' });
  t.deepEqual(merge([young, old]), {
    ports: [[':80 http', ['edge/old a.example.com', 'edge/young b.example.com']]],
    conflicts: [],
  });
});

test('a TLS host belongs to the first server, and the other one keeps its other hosts', (t) => {
  const first = gatewayObject('a', [tls('first', ['a.example.com', '*.example.com'])]);
  const second = gatewayObject('b', [tls('second', ['A.example.com', 'b.example.com'])]);
  t.deepEqual(merge([first, second]), {
    ports: [[':443 tls', ['edge/a a.example.com,*.example.com', 'edge/b b.example.com']]],
    conflicts: [
      'Gateway/edge/b spec.servers[0].hosts has TLS host a.example.com, which server first of Gateway edge/a takes on the same port; remove it here or there',
    ],
  });
});

test('a server of another protocol does not get a port that is taken', (t) => {
  const first = gatewayObject('a', [HTTP, TCP]);
  const second = gatewayObject('b', [
    { ...tls('second', ['a.example.com']), port: { number: 80, name: 'https', protocol: 'HTTPS' } },
    TCP,
  ]);
  const { ports, conflicts } = merge([first, second]);
  t.deepEqual(ports, [
    [':80 http', ['edge/a a.example.com']],
    [':9000 tcp', ['edge/a *']],
  ]);
  t.deepEqual(conflicts, [
    'Gateway/edge/b spec.servers[0].port is TLS, but port 80 of the router takes plaintext HTTP already (server http of Gateway edge/a); use another port or protocol',
    'Gateway/edge/b spec.servers[1].port cannot share port 9000 of the router with another server of bytes (server tcp of Gateway edge/a); use another port',
  ]);
});

test('a Gateway of another namespace takes no host from an own one, however old it is', (t) => {
  const foreign = gatewayObject('a', [tls('foreign', ['a.example.com'])], {
    namespace: 'team',
    created: '2020-01-01T00:00:00Z',
  });
  const own = gatewayObject('b', [tls('own', ['a.example.com'])], { created: '2026-01-01T00:00:00Z' });
  const { ports, conflicts } = merge([foreign, own]);
  t.deepEqual(ports, [[':443 tls', ['edge/b a.example.com']]]);
  t.is(conflicts.length, 1);
});

test('a router listens on the target ports of its own services, on targetPort, or on the number', (t) => {
  const service = buildService({ ports: [{ name: 'http', number: 80, protocol: 'http' }] });
  const [port] = service.ports;
  if (port === undefined) throw new Error('no port');
  const targets = [8081, 8080, 8081].map((targetPort) => ({ service, port, targetPort }));
  const gateway = gatewayObject('a', [
    HTTP,
    { ...TCP, port: { ...TCP.port, targetPort: 9900 } },
    { ...TCP, port: { number: 9001, name: 'other', protocol: 'TCP' }, bind: '10.0.0.1' },
  ]);
  t.deepEqual(
    merge([gateway], targets).ports.map(([name]) => name),
    [':8080 http', ':8081 http', ':9900 tcp', '10.0.0.1:9001 tcp'],
  );
});

test('servers beyond the limit of hosts are left out and named', (t) => {
  const hosts = Array.from({ length: 256 }, (_, index) => `h${index}.example.com`);
  const servers = Array.from({ length: 60 }, (_, index) => ({
    port: { number: 1000 + index, name: `p${index}`, protocol: 'HTTP' },
    hosts,
  }));
  const { ports, conflicts } = merge([gatewayObject('a', servers)]);
  t.is(ports.length, Math.floor(MAX_ROUTER_HOSTS / 256));
  t.regex(conflicts[0] ?? '', /is one of too many: the servers of a router have at most 10000 hosts/);
});

test('only Gateways of the router and of the root namespace may name files of the router', (t) => {
  const server = (name: string) => ({
    port: { number: 443, name, protocol: 'HTTPS' },
    hosts: [`${name}.example.com`],
    tls: { mode: 'SIMPLE', serverCertificate: '/a', privateKey: '/b' },
  });
  const { ports, conflicts } = merge([
    gatewayObject('own', [server('own')]),
    gatewayObject('root', [server('root')], { namespace: 'mesh-system' }),
    gatewayObject('foreign', [server('foreign')], { namespace: 'team' }),
  ]);
  t.deepEqual(ports, [[':443 tls', ['edge/own own.example.com', 'mesh-system/root root.example.com']]]);
  t.deepEqual(conflicts, [
    'Gateway/team/foreign spec.servers[0].tls names files of a router in another namespace; use credentialName',
  ]);
});

test('no Gateway of another namespace names an address of the router, such as its admin interface', (t) => {
  const admin = { ...HTTP, hosts: ['*'], defaultEndpoint: '127.0.0.1:15000' };
  const bound = { ...HTTP, port: { number: 80, name: 'bound', protocol: 'HTTP' }, bind: '10.0.3.1' };
  const { ports, conflicts } = merge([
    gatewayObject('own', [HTTP]),
    gatewayObject('foreign', [admin, bound], { namespace: 'team' }),
  ]);
  t.deepEqual(ports, [[':80 http', ['edge/own a.example.com']]]);
  t.deepEqual(conflicts, [
    'Gateway/team/foreign spec.servers[0].defaultEndpoint is an address of a router in another namespace; bind a VirtualService to the server',
    'Gateway/team/foreign spec.servers[1].bind is an address of a router in another namespace; leave it out',
  ]);
});

test('a server for all addresses shares the port of servers without an address', (t) => {
  const every = (name: string, bind: string) =>
    gatewayObject(name, [{ ...HTTP, hosts: [`${name}.example.com`], bind }]);
  const { ports } = merge([gatewayObject('a', [HTTP]), every('b', '0.0.0.0'), every('c', '::')]);
  t.deepEqual(ports, [[':80 http', ['edge/a a.example.com', 'edge/b b.example.com', 'edge/c c.example.com']]]);
});

const SERVERS: readonly (readonly [string, ServerFields])[] = [
  ['plaintext', HTTP],
  ['TLS', tls('own', ['a.example.com'])],
];
for (const [kind, server] of SERVERS) {
  test(`a ${kind} host that the operator leaves to a namespace is no host of Gateways elsewhere`, (t) => {
    const hosts = ['a.example.com', 'b.example.com'];
    const { ports, conflicts } = merge([
      gatewayObject('own', [{ ...server, hosts: ['shop/*.example.com', '*/b.example.com'] }]),
      gatewayObject('foreign', [{ ...server, hosts: [...hosts, 'c.example.org'] }], { namespace: 'team' }),
      gatewayObject('shop', [{ ...server, hosts: ['a.example.com'] }], { namespace: 'shop' }),
    ]);
    const shared = server === HTTP ? 'b.example.com,c.example.org' : 'c.example.org';
    t.deepEqual(
      ports[0]?.[1],
      ['edge/own *.example.com,b.example.com', `team/foreign ${shared}`, 'shop/shop a.example.com'].toSorted(byGateway),
    );
    t.true(
      conflicts.includes(
        "Gateway/team/foreign spec.servers[0].hosts has host a.example.com, which Gateways of the router's namespace leave to other namespaces; remove it",
      ),
    );
  });
}

/** The own one first, the others by name. */
function byGateway(first: string, second: string): number {
  const rank = (text: string) => (text.startsWith('edge/') ? `0${text}` : `1${text}`);
  return rank(first) < rank(second) ? -1 : 1;
}

test('no Gateway takes a port that the router needs itself', (t) => {
  const port = (number: number) => ({ ...HTTP, port: { number, name: `http-${number}`, protocol: 'HTTP' } });
  t.deepEqual(merge([gatewayObject('a', [15000, 15020, 15021, 15090, 15091].map(port))]), {
    ports: [[':15091 http', ['edge/a a.example.com']]],
    conflicts: [
      [15000, 'its admin interface'],
      [15020, 'its status'],
      [15021, 'its readiness'],
      [15090, 'its metrics'],
    ].map(
      ([number, user], index) =>
        `Gateway/edge/a spec.servers[${index}].port leads to port ${number} of the router, which is for ${user}; use another port`,
    ),
  });
});
