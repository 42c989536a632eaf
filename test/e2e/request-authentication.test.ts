import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { HttpEcho } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import {
  createIssuerKey,
  type DocumentServer,
  type Documents,
  type IssuerKey,
  keySetOf,
  startDocumentServer,
} from './token-issuer.js';

interface Context {
  mesh: MeshRig;
  web: Sidecar;
  client: Sidecar;
  server: DocumentServer;
  documents: Documents;
  /** The key of inline rules, and of documents. */
  key: IssuerKey;
  /** Other keys of the inline rule, of other algorithms. */
  others: readonly IssuerKey[];
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const WEB: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const WEB_ADDRESS = '10.244.0.6';
const PORT = 18_400;
const ISSUERS = `http://127.0.0.1:${PORT}`;
const INLINE = 'https://inline.example.com';
const FETCHED = 'https://fetched.example.com';

function security(kind: string, name: string, spec: object, namespace = 'shop'): Manifest {
  return { apiVersion: 'security.mesh.internal/v1beta1', kind, metadata: { name, namespace }, spec };
}

const authentication = (name: string, jwtRules: readonly object[], namespace?: string): Manifest =>
  security('RequestAuthentication', name, { jwtRules }, namespace);

/** Rules of the workload, one issuer for each field. */
function rulesOf(key: IssuerKey, others: readonly IssuerKey[]): readonly object[] {
  const jwks = JSON.stringify(keySetOf(key));
  return [
    { issuer: INLINE, jwks: JSON.stringify(keySetOf(key, ...others)) },
    { issuer: 'https://audience.example.com', jwks, audiences: ['web', 'shop'] },
    {
      issuer: 'https://header.example.com',
      jwks,
      fromHeaders: [{ name: 'x-token' }, { name: 'x-prefixed', prefix: 'Token ' }],
    },
    { issuer: 'https://parameter.example.com', jwks, fromParams: ['token'] },
    { issuer: 'https://output.example.com', jwks, outputPayloadToHeader: 'x-payload' },
    { issuer: 'https://forward.example.com', jwks, forwardOriginalToken: true },
    { issuer: FETCHED, jwksUri: `${ISSUERS}/keys` },
    { issuer: 'https://redirected.example.com', jwksUri: `${ISSUERS}/redirect` },
    { issuer: ISSUERS },
    { issuer: 'https://missing.example.com', jwksUri: `${ISSUERS}/missing` },
    { issuer: 'https://forbidden.example.com', jwksUri: `http://127.0.0.2:${PORT}/keys` },
  ];
}

test.before(async (t) => {
  if (available === undefined) return;
  const key = await createIssuerKey('first');
  const others = [await createIssuerKey('second', 'ES256'), await createIssuerKey('third', 'EdDSA')];
  const selected = security('RequestAuthentication', 'web', {
    selector: { matchLabels: { app: 'web' } },
    jwtRules: rulesOf(key, others),
  });
  const mesh = await createMeshRig(available, {
    files: {
      'web.yaml': [serviceManifest(WEB), endpointsManifest(WEB, [WEB_ADDRESS])],
      'authentication.yaml': [selected],
    },
    env: {
      NAV_EGRESS_ALLOWED: '127.0.0.1/32',
      NAV_JWKS_REFRESH_INTERVAL: '1s',
      NAV_ENABLE_ANALYSIS: 'true',
    },
  });
  t.context.mesh = mesh;
  const folder = await mkdtemp(join(tmpdir(), 'navigator-documents-'));
  mesh.rig.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startDocumentServer(mesh.rig, folder, PORT);
  const documents: Documents = {
    '/keys': keySetOf(key),
    '/redirect': '/keys',
    '/.well-known/openid-configuration': { issuer: ISSUERS, jwks_uri: `${ISSUERS}/keys` },
  };
  await server.serve(documents);
  const [web, client] = await Promise.all([
    mesh.addSidecar({ name: 'web-1', namespace: 'shop', address: WEB_ADDRESS, labels: { app: 'web' } }),
    mesh.addSidecar({ name: 'client-1', namespace: 'shop', address: '10.244.0.5', labels: { app: 'client' } }),
  ]);
  await web.agent.call('serveHttp', { name: 'web', port: 8080 });
  await client.agent.call('serveHttp', { name: 'client', port: 8080 });
  await Promise.all([web, client].map(({ envoy }) => envoy.ready()));
  t.context = { mesh, web, client, server, documents, key, others };
  await eventually('the keys are fetched', async () => (await ask(t.context, FETCHED)).status === 200);
});

test.afterEach.always('no sidecar refused anything', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

interface Request {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ client }: Context, { path = '/', headers = {} }: Request = {}) {
  const host = 'web.shop.svc.cluster.local';
  return await client.agent.request(`http://${WEB.clusterIP}${path}`, { headers: { host, ...headers } });
}

type Claims = Readonly<Record<string, unknown>>;

const tokenOf = ({ key }: Context, issuer: string, claims: Claims = {}) =>
  key.sign({ iss: issuer, sub: 'ann', ...claims });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A request with a token of the issuer. */
const ask = async (context: Context, issuer: string, claims?: Claims) =>
  await send(context, { headers: bearer(await tokenOf(context, issuer, claims)) });

const echoOf = ({ body }: { readonly body: string }) => JSON.parse(body) as HttpEcho;

/** Applies objects until the check has ended. */
async function withObjects(
  context: Context,
  objects: readonly Manifest[],
  isInForce: () => Promise<boolean>,
  check: () => Promise<void>,
): Promise<void> {
  const { configFolder } = context.mesh.discovery;
  await configFolder.write('own.yaml', objects);
  try {
    await eventually('the objects are in force', isInForce);
    await check();
  } finally {
    await configFolder.remove('own.yaml');
    await eventually('the objects are gone', async () => (await send(context)).status === 200);
  }
}

e2eTest(
  'a request without a token passes, one with a valid token too, and one with an invalid token is 401',
  async (t) => {
    t.is((await send(t.context)).status, 200);
    t.is((await ask(t.context, INLINE)).status, 200);
    const forged = await (await createIssuerKey('first')).sign({ iss: INLINE });
    t.is((await send(t.context, { headers: bearer(forged) })).status, 401);
    t.is((await send(t.context, { headers: bearer('not.a.token') })).status, 401);
    t.is((await ask(t.context, INLINE, { exp: 1_000_000_000 })).status, 401);
  },
);

e2eTest('tokens of an issuer that no rule names are refused', async (t) => {
  const { status, body } = await ask(t.context, 'https://elsewhere.example.com');
  t.is(status, 401);
  t.is(body, 'Jwt issuer is not configured');
});

e2eTest('a rule takes several keys, of RSA, elliptic curves and Ed25519', async (t) => {
  for (const key of [t.context.key, ...t.context.others]) {
    t.is((await send(t.context, { headers: bearer(await key.sign({ iss: INLINE })) })).status, 200);
  }
});

e2eTest('a token for none of the audiences is refused', async (t) => {
  const issuer = 'https://audience.example.com';
  t.is((await ask(t.context, issuer, { aud: 'web' })).status, 200);
  t.is((await ask(t.context, issuer, { aud: ['other', 'shop'] })).status, 200);
  t.is((await ask(t.context, issuer, { aud: 'other' })).status, 403);
  t.is((await ask(t.context, issuer)).status, 403);
});

e2eTest('a token is read from the headers of its rule, behind their prefix, and from nowhere else', async (t) => {
  const issuer = 'https://header.example.com';
  const token = await tokenOf(t.context, issuer);
  const invalid = `${token.slice(0, -8)}AAAAAAAA`;
  t.is((await send(t.context, { headers: { 'x-token': token } })).status, 200);
  t.is((await send(t.context, { headers: { 'x-token': invalid } })).status, 401);
  t.is((await send(t.context, { headers: { 'x-prefixed': `Token ${token}` } })).status, 200);
  t.is((await send(t.context, { headers: { 'x-prefixed': `Token ${invalid}` } })).status, 401);
  t.is((await send(t.context, { headers: bearer(token) })).status, 401);
});

e2eTest('a token is read from the query parameter of its rule', async (t) => {
  const token = await tokenOf(t.context, 'https://parameter.example.com');
  t.is((await send(t.context, { path: `/?token=${token}` })).status, 200);
  t.is((await send(t.context, { path: `/?token=${token}x` })).status, 401);
});

e2eTest('the workload gets the payload of a valid token, and never one that a client wrote', async (t) => {
  const issuer = 'https://output.example.com';
  const payload = echoOf(await ask(t.context, issuer)).headers['x-payload'];
  const claims = JSON.parse(Buffer.from(String(payload), 'base64url').toString()) as Claims;
  t.is(claims['iss'], issuer);
  t.is(claims['sub'], 'ann');
  const forged = { 'x-payload': Buffer.from('{"sub":"admin"}').toString('base64url') };
  t.is(echoOf(await send(t.context, { headers: forged })).headers['x-payload'], undefined);
});

e2eTest('the workload gets the token itself only where the rule says so', async (t) => {
  t.is(echoOf(await ask(t.context, INLINE)).headers['authorization'], undefined);
  const token = await tokenOf(t.context, 'https://forward.example.com');
  const echo = echoOf(await send(t.context, { headers: bearer(token) }));
  t.is(echo.headers['authorization'], `Bearer ${token}`);
});

e2eTest(
  'keys are fetched from jwksUri, from its redirects, and from the discovery document of an issuer',
  async (t) => {
    for (const issuer of [FETCHED, 'https://redirected.example.com', ISSUERS]) {
      await eventually(`tokens of ${issuer} pass`, async () => (await ask(t.context, issuer)).status === 200);
    }
    t.true((await t.context.mesh.discovery.metric('nav_jwks_resolver_network_fetch_success_total')) > 0);
  },
);

e2eTest('tokens are refused while their keys cannot be fetched, and each failure is told', async (t) => {
  const { discovery } = t.context.mesh;
  for (const name of ['missing', 'forbidden']) {
    const { status } = await ask(t.context, `https://${name}.example.com`);
    t.is(status, 401, name);
  }
  await eventually(
    'two sources fail',
    async () => (await discovery.metric('nav_jwks_sources', { state: 'failed' })) === 2,
  );
  t.true((await discovery.metric('nav_jwks_resolver_network_fetch_fail_total')) > 0);
  await eventually('the log names both', () => {
    const lines = discovery.logLines().filter((line) => line.includes('keys of a JWT issuer cannot be fetched'));
    return ['/missing', '127.0.0.2'].every((text) => lines.some((line) => line.includes(text)));
  });
  const problems = await eventually('the analysis names both', async () => {
    const page = await discovery.get('/debug/config_problems');
    return page.includes('answered 404') && page.includes('not allowed') && page;
  });
  t.regex(problems, /MESH0308/);
  t.regex(problems, /jwtRules\[9\]\.jwksUri/);
  t.regex(problems, /jwtRules\[10\]\.jwksUri/);
});

e2eTest('changed keys reach the sidecar without a new listener', async (t) => {
  const { server, documents, web } = t.context;
  const next = await createIssuerKey('next');
  const token = await next.sign({ iss: FETCHED });
  const usesNext = async () => (await send(t.context, { headers: bearer(token) })).status === 200;
  t.false(await usesNext());
  const listeners = await web.envoy.stat('listener_manager.lds.update_success');
  await server.serve({ ...documents, '/keys': keySetOf(next) });
  await eventually('tokens of the new key pass', usesNext);
  t.is((await ask(t.context, FETCHED)).status, 401, 'a token of the former key');
  t.is(await web.envoy.stat('listener_manager.lds.update_success'), listeners);
  await server.serve(documents);
  await eventually('tokens of the former key pass', async () => (await ask(t.context, FETCHED)).status === 200);
});

e2eTest('the last keys count while the server of an issuer is down', async (t) => {
  const { server, documents, mesh } = t.context;
  const stale = () => mesh.discovery.metric('nav_jwks_sources', { state: 'stale' });
  await server.serve({});
  await eventually('the failure is noticed', async () => (await stale()) >= 3);
  t.is((await ask(t.context, FETCHED)).status, 200);
  t.is((await ask(t.context, INLINE)).status, 200);
  await server.serve(documents);
  await eventually('the keys are current again', async () => (await stale()) === 0);
});

e2eTest('rules of the root namespace apply beside those of the workload, and removal ends them', async (t) => {
  const issuer = 'https://root.example.com';
  const jwks = JSON.stringify(keySetOf(t.context.key));
  const passes = async () => (await ask(t.context, issuer)).status === 200;
  t.false(await passes());
  await withObjects(t.context, [authentication('all', [{ issuer, jwks }], 'mesh-system')], passes, async () => {
    t.is((await ask(t.context, INLINE)).status, 200);
  });
  await eventually('tokens of the issuer are refused again', async () => !(await passes()));
});

e2eTest('an object for other workloads changes nothing', async (t) => {
  const { web, client } = t.context;
  // No rule selects the client: its sidecar reads no tokens.
  const url = 'http://10.244.0.5:8080/';
  const { status } = await web.agent.request(url, { headers: bearer('not.a.token') });
  t.is(status, 200);
  t.is((await send(t.context, { headers: bearer('not.a.token') })).status, 401);
  t.true(client.envoy.process.isRunning());
});

interface RuleCase {
  readonly when?: Readonly<Record<string, readonly string[]>>;
  readonly source?: Readonly<Record<string, readonly string[]>>;
  readonly matches: readonly Claims[];
  readonly others: readonly Claims[];
}

/** Rules of an AuthorizationPolicy on tokens, each with claims that it matches and claims that it does not. */
const CLAIM_RULES: Readonly<Record<string, RuleCase>> = {
  'a subject': { source: { requestPrincipals: [`${INLINE}/ann`] }, matches: [{}], others: [{ sub: 'bob' }] },
  'any subject but one': {
    source: { notRequestPrincipals: [`${INLINE}/ann`] },
    matches: [{ sub: 'bob' }],
    others: [{}],
  },
  'an audience': {
    when: { 'request.auth.audiences': ['web'] },
    matches: [{ aud: 'web' }, { aud: ['other', 'web'] }],
    others: [{}, { aud: 'other' }],
  },
  'a presenter': { when: { 'request.auth.presenter': ['app'] }, matches: [{ azp: 'app' }], others: [{}] },
  'a claim in a claim': {
    when: { 'request.auth.claims[realm][roles]': ['buyer'] },
    matches: [{ realm: { roles: 'buyer' } }, { realm: { roles: ['seller', 'buyer'] } }],
    others: [{}, { realm: { roles: ['seller'] } }, { roles: 'buyer' }],
  },
  'a scope among several': {
    when: { 'request.auth.claims[scope]': ['write'] },
    matches: [{ scope: 'read write' }, { scope: 'write' }],
    others: [{}, { scope: 'read' }, { scope: 'writer' }],
  },
};

e2eTest('an AuthorizationPolicy allows requests by the claims of their token', async (t) => {
  const rules = Object.values(CLAIM_RULES).map(({ when = {}, source }, index) => ({
    ...(source && { from: [{ source }] }),
    when: [
      ...Object.entries(when).map(([key, values]) => ({ key, values })),
      { key: 'request.headers[x-case]', values: [String(index)] },
    ],
  }));
  const policy = security('AuthorizationPolicy', 'claims', { selector: { matchLabels: { app: 'web' } }, rules });
  const isDenied = async () => (await send(t.context)).status === 403;
  await withObjects(t.context, [policy], isDenied, async () => {
    for (const [index, [what, { matches, others }]] of Object.entries(CLAIM_RULES).entries()) {
      const statusOf = async (claims: Claims) => {
        const headers = { ...bearer(await tokenOf(t.context, INLINE, claims)), 'x-case': String(index) };
        return (await send(t.context, { headers })).status;
      };
      for (const claims of matches) t.is(await statusOf(claims), 200, `${what}: ${JSON.stringify(claims)}`);
      for (const claims of others) t.is(await statusOf(claims), 403, `${what}: ${JSON.stringify(claims)}`);
    }
    const headers = { ...bearer('not.a.token'), 'x-case': '0' };
    t.is((await send(t.context, { headers })).status, 401, 'an invalid token comes before the policy');
  });
});
