import anyTest, { type TestFn } from 'ava';
import type { HttpAnswer, HttpEcho, HttpRequest } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createCredentialFolder } from './credential-folder.js';
import { EDGE, INGRESS, requestOverTls, SERVICE, WEB } from './gateway-mesh.js';
import { createSecuredMesh, podManifest, type SecuredMesh, serviceOn } from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

/** Another service of the web workload. */
const SPARE = {
  name: 'spare',
  namespace: 'shop',
  clusterIP: '10.96.0.11',
  ports: [{ name: 'http', port: 80, targetPort: 8098 }],
};

const API = 'gateway.networking.k8s.io/v1';
const CLASS: Manifest = {
  apiVersion: API,
  kind: 'GatewayClass',
  metadata: { name: 'navigator' },
  spec: { controllerName: 'mesh.internal/gateway-controller' },
};

/** A Gateway of a tenant at the router of another namespace. */
const GATEWAY: Manifest = {
  apiVersion: API,
  kind: 'Gateway',
  metadata: { name: 'public', namespace: 'shop' },
  spec: {
    gatewayClassName: 'navigator',
    listeners: [
      { name: 'http', port: 80, protocol: 'HTTP' },
      { name: 'narrow', port: 80, protocol: 'HTTP', hostname: '*.narrow.example.com' },
      {
        name: 'https',
        port: 443,
        protocol: 'HTTPS',
        hostname: 'secure.example.com',
        tls: { certificateRefs: [{ name: 'public-cert' }] },
      },
    ],
  },
};

const to = (name: string, weight = 1) => ({ name, port: 80, weight });
const path = (value: string, type = 'PathPrefix') => ({ matches: [{ path: { type, value } }] });
const modified = (name: string, set: Readonly<Record<string, string>>) => ({
  type: `${name[0]?.toUpperCase()}${name.slice(1)}`,
  [name]: { set: Object.entries(set).map(([header, value]) => ({ name: header, value })) },
});

const RULES = [
  { backendRefs: [to('web')] },
  { ...path('/spare'), backendRefs: [to('spare')] },
  { ...path('/spare/exact', 'Exact'), backendRefs: [to('web')] },
  { ...path('/i[0-9]+', 'RegularExpression'), backendRefs: [to('spare')] },
  { matches: [{ method: 'PUT' }], backendRefs: [to('spare')] },
  { matches: [{ headers: [{ name: 'x-user', value: 'ann' }] }], backendRefs: [to('spare')] },
  { matches: [{ queryParams: [{ name: 'page', value: '1' }] }], backendRefs: [to('spare')] },
  { ...path('/none') },
  { ...path('/missing'), backendRefs: [to('missing')] },
  { ...path('/half'), backendRefs: [to('web', 1), to('missing', 1)] },
  {
    ...path('/strip'),
    filters: [{ type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } } }],
    backendRefs: [to('web')],
  },
  {
    ...path('/move'),
    filters: [
      {
        type: 'URLRewrite',
        urlRewrite: { hostname: 'inner.example', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/to/' } },
      },
      modified('requestHeaderModifier', { 'x-added': '50%' }),
      modified('responseHeaderModifier', { 'x-answered': 'yes' }),
    ],
    backendRefs: [to('web')],
  },
  {
    ...path('/whole'),
    filters: [{ type: 'URLRewrite', urlRewrite: { path: { type: 'ReplaceFullPath', replaceFullPath: '/one' } } }],
    backendRefs: [to('web')],
  },
  {
    ...path('/redirect'),
    filters: [
      {
        type: 'RequestRedirect',
        requestRedirect: {
          scheme: 'https',
          path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' },
          statusCode: 301,
        },
      },
    ],
  },
  {
    ...path('/port'),
    filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'other.example', port: 8443 } }],
  },
];

const routeOf = (name: string, spec: object): Manifest => ({
  apiVersion: API,
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'shop' },
  spec: { parentRefs: [{ name: 'public' }], ...spec },
});

// A route has 16 rules at most.
const ROUTES = [routeOf('rules', { hostnames: ['shop.example.com', 'secure.example.com'], rules: RULES })];

const ask = (
  { secured }: Context,
  asked: string,
  { headers = {}, ...request }: Partial<HttpRequest> = {},
): Promise<HttpAnswer> => {
  const url = `http://${INGRESS.address}:8080${asked}`;
  return secured.mesh.rig.routerAgent.request(url, { ...request, headers: { host: 'shop.example.com', ...headers } });
};

const echoOf = ({ body }: HttpAnswer): HttpEcho => JSON.parse(body) as HttpEcho;

test.before(async (t) => {
  if (available === undefined) return;
  const credentials = await createCredentialFolder();
  const certificate = createTestAuthority('public').issue({ dnsNames: ['secure.example.com'] });
  await credentials.write('shop', 'public-cert', certificate);
  const secured = await createSecuredMesh(available, {
    meshConfig: `ingressService: ${EDGE.name}\n`,
    files: {
      'pods.yaml': [INGRESS, WEB].map(podManifest),
      'edge.yaml': serviceOn(EDGE, INGRESS),
      'web.yaml': [...serviceOn(SERVICE, WEB), ...serviceOn(SPARE, WEB)],
      'class.yaml': [CLASS],
      'gateway.yaml': [GATEWAY],
      'routes.yaml': ROUTES,
    },
    env: {
      NAV_CREDENTIALS_DIR: credentials.path,
      NAV_ENABLED_SERVICE_APIS: 'true',
      ORCH_INGRESS_NS: INGRESS.namespace,
    },
  });
  secured.mesh.rig.defer(() => credentials.remove());
  t.context = { secured };
  const [ingress, web] = await Promise.all([secured.addPod(INGRESS), secured.addPod(WEB)]);
  await web.agent.call('serveHttp', { name: 'web', port: 8080 });
  await web.agent.call('serveHttp', { name: 'spare', port: 8098 });
  await Promise.all([ingress, web].map(({ envoy }) => envoy.ready()));
  await eventually('the router has its routes', async () => (await ask(t.context, '/')).status === 200);
});

test.after.always(async ({ context }) => {
  await context.secured?.mesh.close();
});

/** Requests with the service that answers them, or the status. */
const ANSWERS: Readonly<
  Record<string, readonly [asked: string, request: Partial<HttpRequest>, expected: string | number]>
> = {
  'no condition': ['/', {}, 'web'],
  'a prefix': ['/spare', {}, 'spare'],
  'a path below a prefix': ['/spare/below', {}, 'spare'],
  'a path that starts like a prefix': ['/sparely', {}, 'web'],
  'an exact path, before its prefix': ['/spare/exact', {}, 'web'],
  'an expression for the path': ['/i17', {}, 'spare'],
  'a method': ['/', { method: 'PUT' }, 'spare'],
  'a header': ['/', { headers: { 'x-user': 'ann' } }, 'spare'],
  'a query parameter': ['/?page=1', {}, 'spare'],
  'no backend': ['/none', {}, 500],
  'a Service that does not exist': ['/missing', {}, 500],
  'another host': ['/', { headers: { host: 'unknown.example.com' } }, 404],
  'a host of a narrower listener without routes': ['/', { headers: { host: 'a.narrow.example.com' } }, 404],
};

e2eTest('requests reach the Services of HTTPRoutes through the router of a Gateway', async (t) => {
  for (const [title, [asked, request, expected]] of Object.entries(ANSWERS)) {
    const answer = await ask(t.context, asked, request);
    t.is(answer.status === 200 ? echoOf(answer).name : answer.status, expected, title);
  }
});

e2eTest('filters change paths, hosts and headers as the Gateway API says', async (t) => {
  t.is(echoOf(await ask(t.context, '/strip/a?b=c')).path, '/a?b=c');
  t.is(echoOf(await ask(t.context, '/strip')).path, '/');
  t.is(echoOf(await ask(t.context, '/whole/a/b?c=d')).path, '/one?c=d');
  const moved = await ask(t.context, '/move/a');
  const { path: seen, headers } = echoOf(moved);
  t.deepEqual([seen, headers['host'], headers['x-added']], ['/to/a', 'inner.example', '50%']);
  t.is(moved.headers['x-answered'], 'yes');
  const redirected = await ask(t.context, '/redirect/a');
  t.deepEqual([redirected.status, redirected.headers['location']], [301, 'https://shop.example.com/new/a']);
  const elsewhere = await ask(t.context, '/port');
  t.deepEqual([elsewhere.status, elsewhere.headers['location']], [302, 'http://other.example:8443/port']);
});

e2eTest('the share of a backend that does not exist fails with 500, and the rest is served', async (t) => {
  const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await ask(t.context, '/half')).status));
  t.deepEqual([...new Set(statuses)].sort(), [200, 500]);
});

e2eTest('a listener terminates TLS with a Secret of the namespace of its Gateway', async (t) => {
  const { received } = await eventually('the router has the certificate', () =>
    requestOverTls(t.context, 8443, 'secure.example.com', { path: '/spare', until: '"spare"' }),
  );
  t.regex(received, /^HTTP\/1\.1 200/);
});
