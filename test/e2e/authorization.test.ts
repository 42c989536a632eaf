import anyTest, { type TestFn } from 'ava';
import type { AuthorizationPolicySpec } from '../../src/config/security/authorization-policy.js';
import { judgeRequest } from '../../src/generators/authorization/judge-request.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { createSecuredMesh, type PodOptions, podManifest, type SecuredMesh, serviceOn } from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  web: Sidecar;
  client: Sidecar;
  plain: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const WEB: PodOptions = {
  name: 'web-1',
  namespace: 'shop',
  address: '10.244.0.6',
  serviceAccount: 'web',
  isSecured: true,
};
const CLIENT: PodOptions = {
  ...WEB,
  name: 'client-1',
  namespace: 'team-a',
  address: '10.244.0.5',
  serviceAccount: 'client',
};
const PLAIN: PodOptions = {
  ...CLIENT,
  name: 'plain-1',
  address: '10.244.0.8',
  serviceAccount: 'plain',
  isSecured: false,
};

const SERVICE: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.10',
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'tcp', port: 9000 },
  ],
};
const HOST = 'web.shop.svc.cluster.local';

function policy(name: string, spec: object, namespace = 'shop'): Manifest {
  const apiVersion = 'security.mesh.internal/v1beta1';
  return { apiVersion, kind: 'AuthorizationPolicy', metadata: { name, namespace }, spec };
}

interface Request {
  readonly by?: 'client' | 'plain';
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface FieldCase {
  readonly rule: Readonly<Record<string, unknown>>;
  readonly matches: readonly Request[];
  readonly others: readonly Request[];
}

const source = (fields: object) => ({ from: [{ source: fields }] });
const operation = (fields: object) => ({ to: [{ operation: fields }] });
const when = (key: string, values: object) => ({ when: [{ key, ...values }] });
const ANY: Request = {};
const BY_PLAIN: Request = { by: 'plain' };

/** Each field, with requests that it matches and requests that it does not. */
const FIELDS: Readonly<Record<string, FieldCase>> = {
  'a path': {
    rule: operation({ paths: ['/exact', '/begin/*', '*.end'] }),
    matches: [{ path: '/exact' }, { path: '/exact?query=1' }, { path: '/begin/x' }, { path: '/a.end' }],
    others: [ANY, { path: '/exact/more' }, { path: '/begin' }, { path: '/a.ending' }],
  },
  'all paths but one': {
    rule: operation({ notPaths: ['/public'] }),
    matches: [ANY],
    others: [{ path: '/public' }, { path: '/public?query=1' }],
  },
  'a method': {
    rule: operation({ methods: ['PUT', 'DEL*'] }),
    matches: [{ method: 'PUT' }, { method: 'DELETE' }],
    others: [ANY, { method: 'POST' }],
  },
  'all methods but one': { rule: operation({ notMethods: ['GET'] }), matches: [{ method: 'POST' }], others: [ANY] },
  'a host, in any case and with any port': {
    rule: operation({ hosts: [HOST.toUpperCase()] }),
    matches: [ANY, { host: `${HOST}:80` }, { host: `Web.Shop.svc.cluster.local` }],
    others: [{ host: 'web.shop' }],
  },
  'the end and the beginning of a host': {
    rule: operation({ hosts: ['*.cluster.local', 'web.shop.svc*'] }),
    matches: [ANY, { host: 'web.shop.svc' }],
    others: [{ host: 'web.shop' }],
  },
  'all hosts but one': { rule: operation({ notHosts: [HOST] }), matches: [{ host: 'web.shop' }], others: [ANY] },
  'a port of the workload': { rule: operation({ ports: ['8080'] }), matches: [ANY], others: [] },
  'the port of the service, which is not one of the workload': {
    rule: operation({ ports: ['80'] }),
    matches: [],
    others: [ANY],
  },
  'all ports but one': { rule: operation({ notPorts: ['8080'] }), matches: [], others: [ANY] },
  'an identity': {
    rule: source({ principals: ['cluster.local/ns/team-a/sa/client'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'an identity of an alias of the trust domain': {
    rule: source({ principals: ['old.example.com/ns/team-a/sa/client'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'an identity of another trust domain': {
    rule: source({ principals: ['elsewhere/ns/team-a/sa/client'] }),
    matches: [],
    others: [ANY, BY_PLAIN],
  },
  'the beginning of an identity': {
    rule: source({ principals: ['cluster.local/ns/team-a/*'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'the end of an identity': { rule: source({ principals: ['*/sa/client'] }), matches: [ANY], others: [BY_PLAIN] },
  'any identity': { rule: source({ principals: ['*'] }), matches: [ANY], others: [BY_PLAIN] },
  'all identities but one': {
    rule: source({ notPrincipals: ['cluster.local/ns/team-a/sa/client'] }),
    matches: [BY_PLAIN],
    others: [ANY],
  },
  'a namespace': { rule: source({ namespaces: ['team-a'] }), matches: [ANY], others: [BY_PLAIN] },
  'the beginning of a namespace': { rule: source({ namespaces: ['team-*'] }), matches: [ANY], others: [BY_PLAIN] },
  'a namespace that only begins so': { rule: source({ namespaces: ['team'] }), matches: [], others: [ANY] },
  'all namespaces but one': { rule: source({ notNamespaces: ['team-a'] }), matches: [BY_PLAIN], others: [ANY] },
  addresses: {
    rule: source({ ipBlocks: [CLIENT.address, '192.0.2.0/24'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'all addresses but some': {
    rule: source({ notIpBlocks: [`${CLIENT.address}/32`] }),
    matches: [BY_PLAIN],
    others: [ANY],
  },
  'no JWT': { rule: source({ notRequestPrincipals: ['*'] }), matches: [ANY, BY_PLAIN], others: [] },
  'a JWT': { rule: source({ requestPrincipals: ['*'] }), matches: [], others: [ANY] },
  'a claim': { rule: when('request.auth.claims[sub]', { values: ['*'] }), matches: [], others: [ANY] },
  'a header': {
    rule: when('request.headers[X-Version]', { values: ['v1', 'v2*'], notValues: ['v2-beta'] }),
    matches: [{ headers: { 'x-version': 'v1' } }, { headers: { 'x-version': 'v2-rc' } }],
    others: [ANY, { headers: { 'x-version': 'v2-beta' } }, { headers: { 'x-version': 'v10' } }],
  },
  'any value of a header': {
    rule: when('request.headers[X-Version]', { values: ['*'] }),
    matches: [{ headers: { 'x-version': 'v1' } }],
    others: [ANY],
  },
  'an address, as a condition': {
    rule: when('source.ip', { values: ['10.244.0.5'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'a namespace, as a condition': {
    rule: when('source.namespace', { values: ['team-a'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'an identity, as a condition': {
    rule: when('source.principal', { values: ['cluster.local/ns/team-a/sa/*'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'an address of the workload': {
    rule: when('destination.ip', { values: [`${WEB.address}/31`] }),
    matches: [ANY],
    others: [],
  },
  'a port of the workload, as a condition': {
    rule: when('destination.port', { notValues: ['8080'] }),
    matches: [],
    others: [ANY],
  },
  'the server name of the connection': {
    rule: when('connection.sni', { values: ['*'] }),
    matches: [ANY],
    others: [BY_PLAIN],
  },
  'a source and an operation': {
    rule: { ...source({ namespaces: ['team-a'] }), ...operation({ methods: ['PUT'] }) },
    matches: [{ method: 'PUT' }],
    others: [ANY, { method: 'PUT', by: 'plain' }],
  },
  'one of several sources and operations': {
    rule: {
      from: [{ source: { ipBlocks: ['192.0.2.1'] } }, { source: { namespaces: ['team-a'] } }],
      to: [{ operation: { methods: ['PUT'] } }, { operation: { paths: ['/b'], methods: ['POST'] } }],
    },
    matches: [{ method: 'PUT' }, { method: 'POST', path: '/b' }],
    others: [{ method: 'POST' }, { path: '/b' }, { method: 'PUT', by: 'plain' }],
  },
};

const CASE_HEADER = 'x-case';

/** DENY, each rule only for requests of its case. On connections, of which no header is known, only the port counts. */
const fieldsPolicy = policy('fields', {
  action: 'DENY',
  selector: { matchLabels: { app: WEB.name } },
  rules: Object.values(FIELDS).map(({ rule }, index) => ({
    ...rule,
    when: [
      ...((rule['when'] as object[] | undefined) ?? []),
      { key: `request.headers[${CASE_HEADER}]`, values: [`${index}`] },
      { key: 'destination.port', values: ['8080'] },
    ],
  })),
});

const FILES = {
  'pods.yaml': [WEB, CLIENT, PLAIN].map(podManifest),
  'web.yaml': serviceOn(SERVICE, WEB),
  'fields.yaml': [fieldsPolicy],
};

test.before(async (t) => {
  if (available === undefined) return;
  const secured = await createSecuredMesh(available, {
    files: FILES,
    meshConfig: 'trustDomainAliases: [old.example.com]\n',
  });
  Object.assign(t.context, { secured });
  const [web, client, plain] = await Promise.all([WEB, CLIENT, PLAIN].map(secured.addPod));
  if (!web || !client || !plain) throw new Error('a sidecar is missing');
  await web.agent.call('serveHttp', { name: 'web', port: 8080 });
  await web.agent.call('serveTcp', { name: 'web', port: 9000 });
  await Promise.all([web, client, plain].map(({ envoy }) => envoy.ready()));
  t.context = { secured, web, client, plain };
});

test.afterEach.always('no sidecar refused anything', async (t) => {
  await t.context.secured?.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

/** Straight to the pod's service, so that any host reaches it. */
async function send(context: Context, request: Request, headers: Readonly<Record<string, string>> = {}) {
  const { by = 'client', method = 'GET', path = '/', host = HOST } = request;
  return await context[by].agent.request(`http://${SERVICE.clusterIP}${path}`, {
    method,
    headers: { host, ...request.headers, ...headers },
  });
}

const DENIED = { status: 403, body: 'RBAC: access denied' };

/** The decision of the pages and of `policy why`, which must be that of Envoy. */
function judge(rule: FieldCase['rule'], { by = 'client', method = 'GET', path = '/', host = HOST, headers }: Request) {
  const pod = by === 'client' ? CLIENT : PLAIN;
  const identity = `spiffe://cluster.local/ns/${pod.namespace}/sa/${pod.serviceAccount}`;
  const spec = { action: 'DENY', rules: [rule] } as AuthorizationPolicySpec;
  const policies = { key: '', policies: [{ name: 'fields', namespace: 'shop', spec }], isTooLarge: false };
  return judgeRequest(policies, ['cluster.local', 'old.example.com'], {
    principal: pod.isSecured === true ? identity : '',
    sourceIp: pod.address,
    destinationIp: WEB.address,
    destinationPort: 8080,
    serverName: pod.isSecured === true ? 'any' : '',
    headers: new Map(Object.entries({ ':method': method, ':authority': host, ...headers })),
    path: path.split('?', 1)[0] ?? '',
    hasToken: false,
  }).verdict.type;
}

for (const [index, [what, { rule, matches, others }]] of Object.entries(FIELDS).entries()) {
  e2eTest(`a rule for ${what} matches ${matches.length} requests and not ${others.length} others`, async (t) => {
    const headers = { [CASE_HEADER]: String(index) };
    for (const request of matches) {
      const { status, body } = await send(t.context, request, headers);
      t.deepEqual({ status, body }, DENIED, JSON.stringify(request));
      t.is(judge(rule, request), 'denied', JSON.stringify(request));
    }
    for (const request of others) {
      t.is((await send(t.context, request, headers)).status, 200, JSON.stringify(request));
      t.is(judge(rule, request), 'allowed', JSON.stringify(request));
    }
  });
}

const tcp = ({ agent }: Sidecar) =>
  agent.call('exchangeTcp', { address: SERVICE.clusterIP, port: 9000, send: 'a message', until: 'a message' });

/** Applies policies, waits until the condition holds, and runs the checks before they are removed again. */
async function withPolicies(
  context: Context,
  policies: readonly Manifest[],
  isInForce: () => Promise<boolean>,
  check: () => Promise<void>,
): Promise<void> {
  const { configFolder: folder } = context.secured.mesh.discovery;
  await folder.write('own.yaml', policies);
  try {
    await eventually('the policies are in force', isInForce);
    await check();
  } finally {
    await folder.remove('own.yaml');
    await eventually('the policies are gone', async () => (await send(context, ANY)).status === 200);
  }
}

const isRefused = (context: Context, request: Request) => async () => (await send(context, request)).status === 403;
const isClosed = (exchange: () => Promise<unknown>) => async () =>
  await exchange().then(
    () => false,
    () => true,
  );

e2eTest('a namespace that allows nothing rejects requests and connections', async (t) => {
  const { client } = t.context;
  await withPolicies(t.context, [policy('nothing', {})], isRefused(t.context, ANY), async () => {
    t.deepEqual(await send(t.context, ANY).then(({ status, body }) => ({ status, body })), DENIED);
    await eventually(
      'connections are closed',
      isClosed(() => tcp(client)),
    );
  });
  t.is(await tcp(client), 'web: a message');
});

e2eTest('ALLOW lets through what one of the policies matches, on requests and on connections', async (t) => {
  const { client, plain } = t.context;
  const allowed = policy('allowed', { rules: [source({ principals: ['cluster.local/ns/team-a/sa/client'] })] });
  const health = policy('health', { rules: [operation({ paths: ['/health'] })] });
  await withPolicies(t.context, [allowed, health], isRefused(t.context, BY_PLAIN), async () => {
    t.is((await send(t.context, ANY)).status, 200);
    t.is((await send(t.context, { by: 'plain', path: '/health' })).status, 200);
    t.is(await tcp(client), 'web: a message');
    // A path says nothing about a connection.
    await eventually(
      'connections without identity are closed',
      isClosed(() => tcp(plain)),
    );
  });
});

e2eTest('DENY has precedence over ALLOW, and a policy of the root namespace applies to the whole mesh', async (t) => {
  const everything = policy('everything', { rules: [{}] });
  const noPost = policy('no-post', { action: 'DENY', rules: [operation({ methods: ['POST'] })] }, 'mesh-system');
  const post: Request = { method: 'POST' };
  await withPolicies(t.context, [everything, noPost], isRefused(t.context, post), async () => {
    t.is((await send(t.context, ANY)).status, 200);
    // DENY by method would let connections pass otherwise, of which no method is known.
    await eventually(
      'connections are closed',
      isClosed(() => tcp(t.context.client)),
    );
  });
});

e2eTest('AUDIT rejects nothing, and Envoy counts the requests that match', async (t) => {
  const { web } = t.context;
  const counter = 'http.inbound_0.0.0.0_8080.rbac.shadow_allowed';
  const audited = policy('audited', { action: 'AUDIT', rules: [operation({ methods: ['PUT'] })] });
  const put: Request = { method: 'PUT' };
  const countsPut = async () => {
    const before = await web.envoy.stat(counter).catch(() => 0);
    await send(t.context, put);
    return (await web.envoy.stat(counter).catch(() => 0)) > before;
  };
  await withPolicies(t.context, [audited], countsPut, async () => {
    const before = await web.envoy.stat(counter);
    t.is((await send(t.context, put)).status, 200);
    t.is((await send(t.context, ANY)).status, 200);
    t.is(await tcp(t.context.client), 'web: a message');
    t.is(await web.envoy.stat(counter), before + 1);
  });
});
