import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import test from 'ava';
import { SignJWT } from 'jose';
import { systemClock } from '../../../src/base/clock.js';
import { createTokenReviewAuthenticator } from '../../../src/ca/authentication/token-review.js';
import { createTokenVerdicts } from '../../../src/ca/authentication/token-verdicts.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createApiSender, type SendRequest } from '../../../src/kubernetes/client/api-sender.js';
import { type ClusterAccess, loadClusterAccess } from '../../../src/kubernetes/client/cluster-access.js';
import { type ApiServer, READERS, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { createSecuredRig } from '../../xds/secured-rig.js';
import { withToken } from './credentials.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const [POWERLESS = ''] = READERS;
const CART = 'spiffe://cluster.local/ns/shop/sa/cart';

let api: ApiServer;
let admin: ClusterAccess;
let powerless: ClusterAccess;

const accessOf = (orchConfig: string): Promise<ClusterAccess> => loadClusterAccess({ orchConfig, environment: {} });

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    admin = await accessOf(api.kubeconfig);
    powerless = await accessOf(await api.kubeconfigOf(POWERLESS));
    for (const namespace of ['shop', 'bank']) {
      await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      for (const name of ['cart', 'gone']) {
        await api.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
      }
    }
  });
  test.after.always(async () => {
    admin?.close();
    powerless?.close();
    await api?.close();
  });
}

const sender = (access: ClusterAccess): SendRequest =>
  createApiSender(access, { userAgent: 'navigator/test', timeoutMs: 60_000 });

/** By the TokenRequest API. @param audiences those of the API server when left out */
async function requestToken(namespace: string, name: string, audiences?: readonly string[]): Promise<string> {
  const { body } = await api.client.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600, ...(audiences === undefined ? {} : { audiences }) },
  });
  return (body as { status: { token: string } }).status.token;
}

function reviewer(jwtPolicy = 'third-party-jwt', access: ClusterAccess = admin) {
  const send = sender(access);
  return createTokenReviewAuthenticator({
    reviewerOf: () => ({ cluster: 'local', send }),
    jwtPolicy,
    trustDomain: () => 'cluster.local',
    verdicts: createTokenVerdicts(systemClock),
    clock: systemClock,
  });
}

it('the API server vouches for a token of audience mesh-ca', async (t) => {
  const caller = await reviewer().authenticate(withToken(await requestToken('shop', 'cart', ['mesh-ca'])));
  t.deepEqual(caller, { identities: [CART], authenticatedBy: 'orchestrator token' });
});

it('a token of several audiences is good when mesh-ca is among them', async (t) => {
  const token = await requestToken('shop', 'cart', ['other', 'mesh-ca']);
  t.deepEqual((await reviewer().authenticate(withToken(token)))?.identities, [CART]);
});

it('a token of another audience, or of none, is refused with the reason of the API server', async (t) => {
  for (const audiences of [['other'], undefined]) {
    await t.throwsAsync(reviewer().authenticate(withToken(await requestToken('shop', 'cart', audiences))), {
      name: 'AuthenticationError',
      message: /^the API server does not accept the token: .*audience/,
    });
  }
});

it('first-party-jwt takes a token of the API server itself', async (t) => {
  const token = await requestToken('shop', 'cart');
  t.deepEqual((await reviewer('first-party-jwt').authenticate(withToken(token)))?.identities, [CART]);
});

it('a token that was changed, or whose account is gone, is refused', async (t) => {
  const token = await requestToken('shop', 'gone', ['mesh-ca']);
  const [head = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const admins = { ...claims, sub: 'system:serviceaccount:bank:cart' };
  const changed = [head, Buffer.from(JSON.stringify(admins)).toString('base64url'), signature].join('.');
  await t.throwsAsync(reviewer().authenticate(withToken(changed)), { name: 'AuthenticationError' });
  // Before it was ever reviewed: the API server itself keeps what it has found for a while.
  await api.client.delete({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gone', namespace: 'shop' } });
  await t.throwsAsync(reviewer().authenticate(withToken(token)), {
    name: 'AuthenticationError',
    message: /^the API server does not accept the token/,
  });
});

it('an expired token is refused, by us and by the API server', async (t) => {
  const key = createPrivateKey(await readFile(join(api.folder, 'service-accounts.key'), 'utf8'));
  const sign = (exp: number): Promise<string> =>
    new SignJWT({ 'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'cart', uid: 'x' } } })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer('https://kubernetes.default.svc')
      .setAudience('mesh-ca')
      .setSubject('system:serviceaccount:shop:cart')
      .setIssuedAt(exp - 600)
      .setExpirationTime(exp)
      .sign(key);
  const seconds = Math.floor(Date.now() / 1000);
  await t.throwsAsync(reviewer().authenticate(withToken(await sign(seconds - 1))), {
    message: 'the token has expired',
  });
  // With a clock that is behind, the token looks good to us.
  const slow = { ...systemClock, now: () => new Date(Date.now() - 3_600_000) };
  const late = createTokenReviewAuthenticator({
    reviewerOf: () => ({ cluster: 'local', send: sender(admin) }),
    jwtPolicy: 'third-party-jwt',
    trustDomain: () => 'cluster.local',
    verdicts: createTokenVerdicts(slow),
    clock: slow,
  });
  await t.throwsAsync(late.authenticate(withToken(await sign(seconds - 1800))), {
    name: 'AuthenticationError',
    message: /^the API server does not accept the token: .*expired/,
  });
});

it('a server that may not review tokens says so to itself, and its callers are not in', async (t) => {
  const token = await requestToken('shop', 'cart', ['mesh-ca']);
  const error = await t.throwsAsync(reviewer('third-party-jwt', powerless).authenticate(withToken(token)), {
    message: /^the token could not be reviewed: tokenreviews.authentication.k8s.io is forbidden/,
  });
  t.not(error?.name, 'AuthenticationError');
});

it('a stream with a real token is served its own namespace and no other', async (t) => {
  const rig = await createSecuredRig(t, { review: sender(admin) });
  const metadata = { authorization: `Bearer ${await requestToken('shop', 'cart', ['mesh-ca'])}` };
  const own = rig.connect({ channel: rig.channel(), metadata });
  own.send({ node: 'sidecar~10.0.0.1~cart-1.shop~shop.svc.cluster.local##cart', typeUrl: TypeUrl.cluster });
  t.deepEqual((await own.response(0)).bodies, ['a=1', 'b=1']);
  const stolen = rig.connect({ channel: rig.channel(), metadata });
  stolen.send({ node: 'sidecar~10.0.0.2~cart-1.bank~bank.svc.cluster.local##cart', typeUrl: TypeUrl.cluster });
  const { code, details } = await stolen.ended();
  t.is(code, status.PERMISSION_DENIED);
  t.is(details, `authorization failed: the node claims namespace bank, service account cart; the caller is ${CART}`);
});

it('a stream with a real token of another audience is not served', async (t) => {
  const rig = await createSecuredRig(t, { review: sender(admin) });
  const metadata = { authorization: `Bearer ${await requestToken('shop', 'cart')}` };
  const client = rig.connect({ channel: rig.channel(), metadata });
  client.send({ node: 'sidecar~10.0.0.1~cart-1.shop~shop.svc.cluster.local', typeUrl: TypeUrl.cluster });
  const { code, details } = await client.ended();
  t.is(code, status.UNAUTHENTICATED);
  t.regex(details, /^authentication failure: orchestrator token: the API server does not accept the token: .*audience/);
  t.deepEqual(rig.refusedStreams, ['authentication']);
});
