import test from 'ava';
import { createTokenReviewAuthenticator } from '../../../src/ca/authentication/token-review.js';
import {
  createTokenVerdicts,
  TOKEN_VERDICTS,
  type TokenVerdictsSettings,
} from '../../../src/ca/authentication/token-verdicts.js';
import type { ApiAnswer, ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { NOTHING, unsignedToken, withToken } from './credentials.js';

const CART = {
  authenticated: true,
  user: { username: 'system:serviceaccount:shop:cart', groups: ['system:serviceaccounts', 'system:authenticated'] },
  audiences: ['mesh-ca'],
};

interface RigOptions {
  readonly jwtPolicy?: string;
  readonly verdicts?: Partial<TokenVerdictsSettings>;
  answer?(request: ApiRequest, cluster: string): Promise<ApiAnswer> | ApiAnswer;
}

const answerOf = (status: unknown): ApiAnswer => ({ status: 201, body: { status }, retryAfterMs: undefined });

function createRig({ jwtPolicy = 'third-party-jwt', verdicts = {}, answer = () => answerOf(CART) }: RigOptions = {}) {
  const clock = createFakeClock();
  const requests: { cluster: string; request: ApiRequest }[] = [];
  const authenticator = createTokenReviewAuthenticator({
    jwtPolicy,
    reviewerOf: (clusterId) => {
      const cluster = clusterId === 'east' ? 'east' : 'local';
      return {
        cluster,
        send: async (request) => {
          requests.push({ cluster, request });
          return await answer(request, cluster);
        },
      };
    },
    trustDomain: () => 'cluster.local',
    verdicts: createTokenVerdicts(clock, { ...TOKEN_VERDICTS, ...verdicts }),
    clock,
  });
  return { authenticator, requests, clock };
}

/** @param seconds after the clock's start */
const token = (seconds = 3600, subject = 'any'): string =>
  unsignedToken({ sub: subject, exp: Date.UTC(2026, 0, 1) / 1000 + seconds });

test('third-party-jwt requires the audience mesh-ca and returns the reviewed service account', async (t) => {
  const { authenticator, requests } = createRig();
  const bearer = token();
  t.deepEqual(await authenticator.authenticate(withToken(bearer)), {
    identities: ['spiffe://cluster.local/ns/shop/sa/cart'],
    authenticatedBy: 'orchestrator token',
  });
  t.deepEqual(requests[0]?.request, {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: bearer, audiences: ['mesh-ca'] },
    },
  });
});

test('first-party-jwt requires no audience', async (t) => {
  const { authenticator, requests } = createRig({
    jwtPolicy: 'first-party-jwt',
    answer: () => answerOf({ ...CART, audiences: ['https://kubernetes.default.svc'] }),
  });
  t.truthy(await authenticator.authenticate(withToken(token())));
  t.false(JSON.stringify(requests[0]?.request.body).includes('audiences'));
});

test('any other policy is an error that names it', async (t) => {
  const { authenticator, requests } = createRig({ jwtPolicy: 'none' });
  await t.throwsAsync(authenticator.authenticate(withToken(token())), {
    name: 'AuthenticationError',
    message: /^invalid JWT policy "none"/,
  });
  t.is(requests.length, 0);
});

test('without a token there is nothing to say', async (t) => {
  t.is(await createRig().authenticator.authenticate(NOTHING), undefined);
});

for (const [what, status, message] of [
  ['is not authenticated', { authenticated: false, error: 'bad' }, /does not accept the token: bad/],
  ['is authenticated only in words', { ...CART, authenticated: 'true' }, /does not accept the token/],
  ['is for no audience', { ...CART, audiences: undefined }, /not for the audience mesh-ca/],
  ['is for another audience', { ...CART, audiences: ['api'] }, /not for the audience mesh-ca/],
  ['has audiences that are a text', { ...CART, audiences: 'mesh-ca' }, /not for the audience mesh-ca/],
  [
    'is that of no service account',
    { ...CART, user: { ...CART.user, groups: ['system:masters'] } },
    /not in the group/,
  ],
  ['has no groups', { ...CART, user: { username: CART.user.username } }, /not in the group/],
  ['has no user', { ...CART, user: undefined }, /not in the group/],
  ...[
    'system:node:a',
    'system:serviceaccount:shop',
    'system:serviceaccount:shop:cart:x',
    'system:serviceaccount:shop/sa:cart',
    'system:serviceaccount:shop:cart/ns/b',
    'x-system:serviceaccount:shop:cart',
    'system:serviceaccount::cart',
    '',
  ].map(
    (username) =>
      [
        `is that of ${JSON.stringify(username)}`,
        { ...CART, user: { ...CART.user, username } },
        /not that of a service account/,
      ] as const,
  ),
] as const) {
  test(`a token that ${what} is rejected`, async (t) => {
    const { authenticator } = createRig({ answer: () => answerOf(status) });
    await t.throwsAsync(authenticator.authenticate(withToken(token())), { name: 'AuthenticationError', message });
  });
}

test('a malformed or expired token causes no request to the API server', async (t) => {
  const { authenticator, requests } = createRig();
  for (const text of [
    '',
    'abc',
    'a.b',
    'a.b.c.d',
    '!.e30.c',
    'a.bm90IGpzb24.c',
    `a.${'e'.repeat(20_000)}.c`,
    token(0),
  ]) {
    await t.throwsAsync(authenticator.authenticate(withToken(text)), { name: 'AuthenticationError' });
  }
  t.is(requests.length, 0);
});

test('a failure of the API server is no verdict, and the next call asks again', async (t) => {
  let works = false;
  const { authenticator, requests } = createRig({
    answer: () => (works ? answerOf(CART) : { status: 403, body: { message: 'forbidden' }, retryAfterMs: undefined }),
  });
  const error = await t.throwsAsync(authenticator.authenticate(withToken(token())), {
    message: 'the token could not be reviewed: forbidden',
  });
  t.not(error?.name, 'AuthenticationError');
  works = true;
  t.truthy(await authenticator.authenticate(withToken(token())));
  t.is(requests.length, 2);
});

test('the cluster of the call reviews the token, or the local one if that is unknown', async (t) => {
  const { authenticator, requests } = createRig();
  await authenticator.authenticate(withToken(token(), 'east'));
  await authenticator.authenticate(withToken(token(), 'nowhere'));
  await authenticator.authenticate(withToken(token(), 'nowhere else'));
  t.deepEqual(
    requests.map(({ cluster }) => cluster),
    ['east', 'local'],
  );
});

test('an accepted token is cached for two minutes, a rejected one for ten seconds', async (t) => {
  const { authenticator, requests, clock } = createRig({
    answer: ({ body }) =>
      answerOf((body as { spec: { token: string } }).spec.token === bad ? { authenticated: false } : CART),
  });
  const bad = token(3600, 'bad');
  const good = token(3600, 'good');
  const ask = async (): Promise<number> => {
    await authenticator.authenticate(withToken(good));
    await t.throwsAsync(authenticator.authenticate(withToken(bad)));
    return requests.length;
  };
  t.is(await ask(), 2);
  clock.advance(9_999);
  t.is(await ask(), 2);
  clock.advance(1);
  t.is(await ask(), 3);
  clock.advance(110_000);
  t.is(await ask(), 5);
});

test('an accepted token is not cached beyond its expiry', async (t) => {
  const { authenticator, requests, clock } = createRig();
  const short = token(30);
  await authenticator.authenticate(withToken(short));
  clock.advance(29_000);
  t.truthy(await authenticator.authenticate(withToken(short)));
  clock.advance(1_000);
  await t.throwsAsync(authenticator.authenticate(withToken(short)), { message: 'the token has expired' });
  t.is(requests.length, 1);
});

test('concurrent callers with the same token cause one review', async (t) => {
  const { authenticator, requests } = createRig();
  const bearer = token();
  const callers = await Promise.all(Array.from({ length: 100 }, () => authenticator.authenticate(withToken(bearer))));
  t.is(callers.length, 100);
  t.is(requests.length, 1);
});

test('a limited number of tokens is reviewed at once, others wait in order, and further ones are rejected', async (t) => {
  let running = 0;
  let most = 0;
  const open: (() => void)[] = [];
  const { authenticator, requests } = createRig({
    verdicts: { maxConcurrent: 2, maxWaiting: 3 },
    answer: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => open.push(resolve));
      running--;
      return answerOf(CART);
    },
  });
  const outcomes = Array.from({ length: 6 }, (_, index) =>
    authenticator.authenticate(withToken(token(3600, `${index}`))).then(
      () => 'accepted',
      (error: Error) => error.message,
    ),
  );
  t.regex(await (outcomes[5] as Promise<string>), /: 3 are waiting already /);
  while (requests.length < 5 || open.length > 0) {
    open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.deepEqual((await Promise.all(outcomes)).slice(0, 5), Array<string>(5).fill('accepted'));
  t.is(most, 2);
});

test('a caller that waits too long for a review is rejected and frees its place', async (t) => {
  const { authenticator, requests, clock } = createRig({
    verdicts: { maxConcurrent: 1, maxWaitMs: 5_000 },
    answer: () => new Promise(() => undefined),
  });
  void authenticator.authenticate(withToken(token(3600, 'first')));
  const second = authenticator.authenticate(withToken(token(3600, 'second')));
  clock.advance(5_000);
  await t.throwsAsync(second, { message: /its turn did not come within 5s/ });
  t.is(requests.length, 1);
});

test('a flood of bad tokens evicts no accepted one, and the cache is bounded', async (t) => {
  const { authenticator, requests } = createRig({
    verdicts: { maxEntries: 3 },
    answer: ({ body }) =>
      answerOf((body as { spec: { token: string } }).spec.token === good ? CART : { authenticated: false }),
  });
  const good = token(3600, 'good');
  const refuse = (index: number) => t.throwsAsync(authenticator.authenticate(withToken(token(3600, `bad ${index}`))));
  await authenticator.authenticate(withToken(good));
  for (let index = 0; index < 10; index++) await refuse(index);
  t.is(requests.length, 11);
  await authenticator.authenticate(withToken(good));
  await refuse(9);
  t.is(requests.length, 11);
  await refuse(0);
  t.is(requests.length, 12);
});

test('a flood of tokens from one address does not delay another address, and gets the reason of its rejection', async (t) => {
  const answers: (() => void)[] = [];
  const { authenticator, requests } = createRig({
    verdicts: { maxConcurrent: 4, maxConcurrentPerKey: 3, maxWaiting: 10 },
    answer: () => new Promise((resolve) => answers.push(() => resolve(answerOf(CART)))),
  });
  const ask = (peer: string, subject: string) =>
    authenticator.authenticate({ ...withToken(token(3600, subject)), peer });
  const flood = Array.from({ length: 50 }, (_, index) => ask(`10.0.0.1:${index}`, `bad-${index}`));
  const outcomes = Promise.allSettled(flood);
  const good = ask('10.0.0.2:1', 'good');
  await new Promise((resolve) => setImmediate(resolve));
  t.is(requests.length, 4, 'three of the flood, and the other address');
  answers.at(-1)?.();
  t.deepEqual((await good)?.identities, ['spiffe://cluster.local/ns/shop/sa/cart']);
  for (let round = 0; round < 20; round++) {
    for (const answer of answers) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const refused = (await outcomes).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  t.is(refused.length, 37, 'three were judged at once and ten waited');
  for (const error of refused) {
    t.like(error, { name: 'AuthenticationError', isOverload: true, isTemporary: true });
    t.regex(String(error), /NAV_TOKEN_REVIEW_QUEUE/);
  }
});

test('waiting tokens are rejected without a review once their address is blocked', async (t) => {
  const clock = createFakeClock();
  let [isBlocked, requests] = [false, 0];
  const verdicts = createTokenVerdicts(
    clock,
    { ...TOKEN_VERDICTS, maxConcurrent: 1 },
    { isBlocked: (address) => isBlocked && address === '10.0.0.1' },
  );
  const authenticator = createTokenReviewAuthenticator({
    jwtPolicy: 'third-party-jwt',
    reviewerOf: () => ({
      cluster: 'local',
      send: async () => {
        requests++;
        isBlocked = true;
        return answerOf(CART);
      },
    }),
    trustDomain: () => 'cluster.local',
    verdicts,
    clock,
  });
  const ask = (subject: string, peer: string) =>
    authenticator.authenticate({ ...withToken(token(3600, subject)), peer });
  const first = ask('a', '10.0.0.1:1');
  const second = t.throwsAsync(ask('b', '10.0.0.1:2'), {
    message: /^too many callers at the address 10\.0\.0\.1 failed/,
  });
  const other = ask('c', '10.0.0.2:1');
  await Promise.all([first, second, other]);
  t.is(requests, 2);
});
