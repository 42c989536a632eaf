import test from 'ava';
import type { Proxy } from '../../src/model/proxy.js';
import { readObject } from '../config/support/read-yaml.js';
import { contextOf, service } from '../model/mesh-objects.js';
import { call } from './fixtures/http-client.js';
import { connection } from './fixtures/mesh.js';
import { serve } from './fixtures/serve.js';

function object(group: 'networking' | 'security', kind: string, where: string, spec: object) {
  const [namespace, name] = where.split('/');
  const apiVersion = `${group}.mesh.internal/v1beta1`;
  return readObject(JSON.stringify({ apiVersion, kind, metadata: { namespace, name }, spec }));
}

const WEB = { matchLabels: { app: 'web' } };
const OBJECTS = [
  service('shop/books'),
  object('networking', 'Sidecar', 'shop/default', { egress: [{ hosts: ['*/*'] }] }),
  object('networking', 'Sidecar', 'shop/web', {
    workloadSelector: { labels: { app: 'web' } },
    egress: [{ hosts: ['*/*'] }],
  }),
  object('networking', 'Gateway', 'shop/edge', {
    selector: { app: 'edge' },
    servers: [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*.example.com'] }],
  }),
  object('networking', 'VirtualService', 'shop/mesh', {
    hosts: ['books'],
    http: [{ route: [{ destination: { host: 'books' } }] }],
  }),
  object('networking', 'VirtualService', 'shop/edge', {
    hosts: ['books.example.com'],
    gateways: ['edge'],
    http: [{ route: [{ destination: { host: 'books' } }] }],
  }),
  object('networking', 'VirtualService', 'other/private', {
    hosts: ['a.example.com'],
    exportTo: ['.'],
    http: [{ route: [{ destination: { host: 'books' } }] }],
  }),
  object('networking', 'DestinationRule', 'shop/books', {
    host: 'books',
    subsets: [{ name: 'v1', labels: { v: '1' } }],
  }),
  object('security', 'PeerAuthentication', 'shop/default', { mtls: { mode: 'STRICT' } }),
  object('security', 'RequestAuthentication', 'shop/web', {
    selector: WEB,
    jwtRules: [{ issuer: 'https://issuer.example.com', jwksUri: 'https://issuer.example.com/keys' }],
  }),
  object('security', 'AuthorizationPolicy', 'shop/web', { selector: WEB, action: 'DENY', rules: [{}] }),
  object('security', 'AuthorizationPolicy', 'shop/other', { selector: { matchLabels: { app: 'other' } }, rules: [{}] }),
  object('networking', 'EnvoyFilter', 'shop/web', {
    workloadSelector: { labels: { app: 'web' } },
    configPatches: [{ applyTo: 'CLUSTER', match: { context: 'ANY' }, patch: { operation: 'REMOVE' } }],
  }),
];

async function applied(t: Parameters<typeof serve>[0], proxy: Partial<Proxy>) {
  const { port } = await serve(t, {
    views: {
      connections: () => [connection({ id: 'one', proxy: { configNamespace: 'shop', ...proxy } })],
      context: () => contextOf(OBJECTS),
    },
  });
  const { status, body } = await call(port, '/debug/appliedz?proxyID=one');
  t.is(status, 200, body);
  return JSON.parse(body);
}

const METADATA = { instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] } as const;

test('appliedz shows the Sidecar, routes, rules, policies and patches of a sidecar', async (t) => {
  const { proxy: _, ...page } = await applied(t, { metadata: { ...METADATA, labels: { app: 'web' } } });
  t.deepEqual(page, {
    type: 'sidecar',
    namespace: 'shop',
    labels: { app: 'web' },
    sidecar: 'Sidecar/shop/web',
    virtualServices: ['VirtualService/shop/mesh'],
    destinationRules: { 'books.shop.svc.cluster.local': ['DestinationRule/shop/books'] },
    mutualTls: { mode: 'STRICT', ports: {} },
    requestAuthentications: ['RequestAuthentication/shop/web'],
    authorizationPolicies: [{ object: 'AuthorizationPolicy/shop/web', action: 'DENY' }],
    envoyFilters: ['EnvoyFilter/shop/web'],
  });
});

test('appliedz shows the Gateways of a router and their VirtualServices', async (t) => {
  const { proxy: _, ...page } = await applied(t, {
    type: 'router',
    metadata: { ...METADATA, labels: { app: 'edge' } },
  });
  t.deepEqual(
    [page.gateways, page.virtualServices, page.sidecar, page.authorizationPolicies],
    [['Gateway/shop/edge'], ['VirtualService/shop/edge'], undefined, []],
  );
});

test('a workload that no selector names has the objects of its namespace', async (t) => {
  const page = await applied(t, { metadata: { ...METADATA, labels: { app: 'plain' } } });
  t.deepEqual(
    [page.sidecar, page.authorizationPolicies, page.requestAuthentications, page.envoyFilters],
    ['Sidecar/shop/default', [], [], []],
  );
});
