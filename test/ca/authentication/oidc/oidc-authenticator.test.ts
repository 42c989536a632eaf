import { createHmac, createPublicKey } from 'node:crypto';
import test from 'ava';
import type { JWK, JWTPayload } from 'jose';
import { createAuthenticators } from '../../../../src/ca/authentication/create-authenticators.js';
import { expectedTokens } from '../../../../src/ca/authentication/oidc/own-token.js';
import { createTrustDomains } from '../../../../src/ca/authentication/spiffe/trust-domains.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { unsignedToken, withToken } from '../credentials.js';
import { AUDIENCE, createTestIssuer, ISSUER } from './issuer.js';

const START_SECONDS = Date.UTC(2026, 0, 1) / 1000;
const CART = 'spiffe://cluster.local/ns/shop/sa/cart';
const TRUST = createTrustDomains({
  own: () => ['cluster.local'],
  ownRoots: () => [],
  foreign: () => new Map(),
  skipValidation: false,
});

async function createRig(issuerName: string = ISSUER) {
  const clock = createFakeClock();
  const issuer = await createTestIssuer(START_SECONDS);
  const outcomes: string[] = [];
  const authenticators = await createAuthenticators({
    trustDomains: TRUST,
    trustDomain: () => 'cluster.local',
    oidc: {
      issuer: issuerName,
      audience: AUDIENCE,
      fetchDocument: issuer.fetchDocument,
      keysFetched: (outcome) => outcomes.push(outcome),
    },
    clock,
  });
  const authenticate = async (token: string) => await authenticators.at(-1)?.authenticate(withToken(token));
  return { clock, issuer, outcomes, authenticators, authenticate };
}

test('a token of the issuer proves its service account, and keys are fetched once', async (t) => {
  const { issuer, authenticate, outcomes } = await createRig();
  const caller = { identities: [CART], authenticatedBy: 'OIDC token' };
  t.deepEqual(await authenticate(await issuer.token()), caller);
  t.deepEqual(await authenticate(await issuer.token({ jti: 'other' })), caller);
  t.deepEqual(await authenticate(await issuer.token({ aud: ['x', AUDIENCE] })), caller);
  t.deepEqual(issuer.fetched, [`${ISSUER}/.well-known/openid-configuration`, `${ISSUER}/keys`]);
  t.deepEqual(outcomes, ['success']);
});

for (const alg of ['ES256', 'PS256', 'EdDSA']) {
  test(`a token that is signed with ${alg} is accepted`, async (t) => {
    const { issuer, authenticate } = await createRig();
    await issuer.rotate('key', alg);
    t.deepEqual((await authenticate(await issuer.token()))?.identities, [CART]);
  });
}

for (const [what, claims, message] of [
  ['of another audience', { aud: 'other' }, /unexpected "aud" claim value/],
  ['of no audience', { aud: undefined }, /missing required "aud" claim/],
  ['that has expired', { exp: START_SECONDS }, /^the token has expired$/],
  ['that never expires', { exp: undefined }, /missing required "exp" claim/],
  ['that is not valid yet', { nbf: START_SECONDS + 60 }, /"nbf" claim timestamp check failed/],
  ['of another issuer', { iss: 'https://evil.test' }, /^the token is not from the issuer https:\/\/issuer.test$/],
  ['without a subject', { sub: undefined }, /missing required "sub" claim/],
  ['of a person', { sub: 'ann@example.com' }, /not that of a service account/],
  ['of a service account that is none', { sub: 'system:serviceaccount:shop:cart/x' }, /not that of a service account/],
] as const) {
  test(`a token ${what} is rejected`, async (t) => {
    const { issuer, authenticate } = await createRig();
    await t.throwsAsync(authenticate(await issuer.token(claims as JWTPayload)), {
      name: 'AuthenticationError',
      message,
    });
  });
}

test('an unsigned token, or one signed with the public key as a secret, is rejected', async (t) => {
  const { issuer, authenticate } = await createRig();
  const [, payload = ''] = (await issuer.token()).split('.');
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  await t.throwsAsync(authenticate(`${encode({ alg: 'none' })}.${payload}.`), { name: 'AuthenticationError' });
  const { keys } = JSON.parse(issuer.documents.get(`${ISSUER}/keys`) ?? '') as { keys: [JWK] };
  const secret = createPublicKey({ key: { ...keys[0] }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const signed = `${encode({ alg: 'HS256', kid: 'one' })}.${payload}`;
  const mac = createHmac('sha256', secret).update(signed).digest('base64url');
  await t.throwsAsync(authenticate(`${signed}.${mac}`), { name: 'AuthenticationError', message: /does not verify/ });
});

test('a changed token is rejected', async (t) => {
  const { issuer, authenticate } = await createRig();
  const [head = '', , signature = ''] = (await issuer.token()).split('.');
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'system:serviceaccount:bank:pay', exp: START_SECONDS + 3600 };
  const [, payload = ''] = unsignedToken(claims).split('.');
  await t.throwsAsync(authenticate(`${head}.${payload}.${signature}`), {
    name: 'AuthenticationError',
    message: 'the token does not verify: signature verification failed',
  });
});

test('an unknown key is fetched, at most every ten seconds', async (t) => {
  const { issuer, authenticate, clock } = await createRig();
  await authenticate(await issuer.token());
  await issuer.rotate('two');
  const next = await issuer.token();
  await t.throwsAsync(authenticate(next), { message: /no applicable key found/ });
  t.is(issuer.fetched.length, 2);
  clock.advance(10_000);
  t.deepEqual((await authenticate(next))?.identities, [CART]);
  t.is(issuer.fetched.length, 4);
  for (let index = 0; index < 20; index++) {
    await t.throwsAsync(authenticate(await issuer.token({ jti: `${index}` }, { kid: 'unheard' })));
  }
  t.is(issuer.fetched.length, 4);
});

test('keys are renewed every five minutes, and no caller waits for that', async (t) => {
  const { issuer, authenticate, clock } = await createRig();
  await authenticate(await issuer.token());
  clock.advance(5 * 60_000 + 1);
  t.truthy(await authenticate(await issuer.token({ jti: 'later' })));
  t.is(issuer.fetched.length > 2, true);
});

test('the keys of an unreachable issuer count for an hour', async (t) => {
  const { issuer, authenticate, clock, outcomes } = await createRig();
  const token = (jti: string) => issuer.token({ jti, exp: START_SECONDS + 36_000 });
  await authenticate(await token('first'));
  issuer.documents.clear();
  clock.advance(59 * 60_000);
  t.truthy(await authenticate(await token('second')));
  clock.advance(2 * 60_000);
  const error = await t.throwsAsync(authenticate(await token('third')), {
    message: `the keys of the token issuer ${ISSUER} could not be fetched`,
  });
  t.not(error?.name, 'AuthenticationError');
  t.is(outcomes.at(-1), 'failure');
});

for (const [what, configuration, keys] of [
  ['a discovery document of another issuer', { issuer: 'https://evil.test', jwks_uri: `${ISSUER}/keys` }, undefined],
  ['a discovery document without keys', { issuer: ISSUER }, undefined],
  ['a discovery document that is a list', [], undefined],
  ['keys that are no list', undefined, { keys: 'none' }],
  ['keys that are no objects', undefined, { keys: ['none'] }],
  ['no keys', undefined, { keys: [] }],
  ['more keys than anybody has', undefined, { keys: Array.from({ length: 257 }, () => ({ kty: 'RSA' })) }],
  ['keys that are nonsense', undefined, { keys: [{ kty: 'RSA', kid: 'one', alg: 'RS256', n: '!', e: 7 }] }],
] as const) {
  test(`${what} admit no caller`, async (t) => {
    const { issuer, authenticate } = await createRig();
    if (configuration !== undefined) {
      issuer.documents.set(`${ISSUER}/.well-known/openid-configuration`, JSON.stringify(configuration));
    }
    if (keys !== undefined) issuer.documents.set(`${ISSUER}/keys`, JSON.stringify(keys));
    await t.throwsAsync(authenticate(await issuer.token()));
  });
}

test('no issuer is asked unless one is configured', async (t) => {
  const { authenticators } = await createRig('');
  t.deepEqual(
    authenticators.map(({ name }) => name),
    ['client certificate'],
  );
  const { authenticators: both } = await createRig();
  t.deepEqual(
    both.map(({ name }) => name),
    ['client certificate', 'OIDC token'],
  );
});

const OWN = unsignedToken({ iss: ISSUER, aud: ['first', 'second'] });
const NONE = { issuer: '', audience: '' };
const IN_POD = '10.96.0.1';

test('issuer and audience come from our own token unless they are set', (t) => {
  t.deepEqual(expectedTokens(NONE, `${OWN}\n`, ''), { issuer: ISSUER, audience: 'first' });
  t.deepEqual(expectedTokens({ issuer: 'x', audience: '' }, OWN, ''), { issuer: 'x', audience: 'first' });
  t.deepEqual(expectedTokens({ issuer: 'x', audience: 'y' }, OWN, ''), { issuer: 'x', audience: 'y' });
  t.deepEqual(expectedTokens(NONE, undefined, ''), NONE);
  t.deepEqual(expectedTokens(NONE, 'no token', ''), NONE);
});

test('in a pod TOKEN_ISSUER counts if it is set, and our own token does not', (t) => {
  t.deepEqual(expectedTokens({ issuer: 'x', audience: '' }, OWN, IN_POD), { issuer: 'x', audience: 'first' });
  t.is(expectedTokens(NONE, OWN, IN_POD).issuer, '');
});
