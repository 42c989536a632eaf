import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import type { CheckDecision } from '../../../src/policy/client/check-flow.js';
import type { CheckResponse } from '../../../src/policy/client/policy-transport.js';
import { createHandlerChain } from '../../../src/policy/handlers/handler-chain.js';
import { ALLOWED, type HandlerCheck, type PolicyHandler } from '../../../src/policy/handlers/policy-handler.js';
import { allow, deny } from '../../support/policy-server.js';

const CHECK: HandlerCheck = {
  attributes: bagOf(EMPTY_LAYER),
  quotas: [],
  deduplicationId: undefined,
  failPolicy: {},
  transport: {},
};
const REQUEST = { attributes: CHECK.attributes, deduplicationId: '', quotas: new Map() };
const OPTIONS = { timeoutMs: 1000, signal: new AbortController().signal };
const DENIED: CheckDecision = { ...ALLOWED, status: { code: 'PERMISSION_DENIED', message: 'no' } };

interface Answers {
  readonly decision?: CheckDecision | Promise<CheckDecision>;
  readonly response?: CheckResponse | Promise<CheckResponse>;
}

/** A handler with given answers that notes each of its calls. */
function handlerOf(calls: string[], name: string, { decision = ALLOWED, response }: Answers = {}): PolicyHandler {
  return {
    name,
    check: () => {
      calls.push(`${name} checks`);
      return decision;
    },
    answer: () => {
      calls.push(`${name} answers`);
      return response ?? { precondition: allow(), quotas: new Map() };
    },
    report: () => void calls.push(`${name} reports`),
    close: async () => void calls.push(`${name} closes`),
  };
}

test('an empty chain allows everything and charges nothing', async (t) => {
  const chain = createHandlerChain([]);
  t.deepEqual(await chain.check(CHECK), ALLOWED);
  t.is((await chain.answer(REQUEST, OPTIONS)).precondition?.status.code, 'OK');
});

test('the decision of a handler that need not wait comes without a promise', (t) => {
  const chain = createHandlerChain([handlerOf([], 'a'), handlerOf([], 'b')]);
  t.false(chain.check(CHECK) instanceof Promise);
  t.false(chain.answer(REQUEST, OPTIONS) instanceof Promise);
});

for (const [how, wrap] of [
  ['at once', (decision: CheckDecision) => decision],
  ['later', (decision: CheckDecision) => Promise.resolve(decision)],
] as const) {
  test(`handlers run in order, and the first denial that comes ${how} ends the chain`, async (t) => {
    const calls: string[] = [];
    const chain = createHandlerChain([
      handlerOf(calls, 'a', { decision: wrap(ALLOWED) }),
      handlerOf(calls, 'b', { decision: wrap(DENIED) }),
      handlerOf(calls, 'c', { decision: wrap({ ...DENIED, status: { code: 'NOT_FOUND', message: 'late' } }) }),
    ]);
    t.deepEqual((await chain.check(CHECK)).status, DENIED.status);
    t.deepEqual(calls, ['a checks', 'b checks']);
  });

  test(`the facts that each handler finds ${how} are kept in the decision`, async (t) => {
    const calls: string[] = [];
    const chain = createHandlerChain([
      handlerOf(calls, 'a', { decision: wrap({ ...ALLOWED, isCheckCacheHit: true, failure: 'backend' }) }),
      handlerOf(calls, 'b', {
        decision: wrap({
          ...ALLOWED,
          status: { code: 'RESOURCE_EXHAUSTED', message: 'used up' },
          exhaustedQuotas: ['rate'],
          retryAfterMs: 500,
        }),
      }),
    ]);
    t.deepEqual(await chain.check(CHECK), {
      status: { code: 'RESOURCE_EXHAUSTED', message: 'used up' },
      isCheckCacheHit: true,
      isQuotaCacheHit: false,
      exhaustedQuotas: ['rate'],
      retryAfterMs: 500,
      failure: 'backend',
    });
  });
}

test('the answer to another policy server has the amounts of all handlers, and holds as long as all allow', async (t) => {
  const exact = { name: 'request.path', condition: 'EXACT' } as const;
  const chain = createHandlerChain([
    handlerOf([], 'a', {
      response: {
        precondition: allow({ validDurationMs: 60_000 }),
        quotas: new Map([
          ['rate', { grantedAmount: 5 }],
          ['own', { grantedAmount: 1 }],
        ]),
      },
    }),
    handlerOf([], 'b', {
      response: Promise.resolve({
        precondition: allow({ validDurationMs: 1000, validUseCount: 7, referencedAttributes: [exact] }),
        quotas: new Map([['rate', { grantedAmount: 2 }]]),
      }),
    }),
  ]);
  t.deepEqual(await chain.answer(REQUEST, OPTIONS), {
    precondition: {
      status: { code: 'OK', message: '' },
      validDurationMs: 1000,
      validUseCount: 7,
      referencedAttributes: [exact],
    },
    quotas: new Map([
      ['rate', { grantedAmount: 2 }],
      ['own', { grantedAmount: 1 }],
    ]),
  });
});

test('an answer that one handler does not let be cached is not cached', async (t) => {
  const { referencedAttributes: _, ...uncached } = allow();
  const chain = createHandlerChain([
    handlerOf([], 'a', { response: { precondition: uncached, quotas: new Map() } }),
    handlerOf([], 'b'),
  ]);
  t.is((await chain.answer(REQUEST, OPTIONS)).precondition?.referencedAttributes, undefined);
});

test('the first handler that denies another policy server ends the chain', async (t) => {
  const calls: string[] = [];
  const chain = createHandlerChain([
    handlerOf(calls, 'a', { response: { precondition: deny('no'), quotas: new Map() } }),
    handlerOf(calls, 'b'),
  ]);
  t.is((await chain.answer(REQUEST, OPTIONS)).precondition?.status.message, 'no');
  t.deepEqual(calls, ['a answers']);
});

test('replaced handlers are closed, and handlers that stay are not', async (t) => {
  const calls: string[] = [];
  const stays = handlerOf(calls, 'a');
  const chain = createHandlerChain([stays, handlerOf(calls, 'b')]);
  chain.use([stays, handlerOf(calls, 'c')]);
  t.deepEqual(calls, ['b closes']);
  chain.report({ attributes: CHECK.attributes, service: {} });
  t.deepEqual(calls, ['b closes', 'a reports', 'c reports']);
  await chain.close();
  t.deepEqual(calls.slice(3), ['a closes', 'c closes']);
});

test('a call under way ends with the handlers that it began with', async (t) => {
  const calls: string[] = [];
  let decide = (_decision: CheckDecision): void => undefined;
  const decision = new Promise<CheckDecision>((resolve) => {
    decide = resolve;
  });
  const chain = createHandlerChain([handlerOf(calls, 'a', { decision }), handlerOf(calls, 'b')]);
  const running = chain.check(CHECK);
  chain.use([handlerOf(calls, 'c')]);
  decide(ALLOWED);
  await running;
  t.deepEqual(calls, ['a checks', 'a closes', 'b closes', 'b checks']);
});

test('closing waits for replaced handlers, and reports the ones that fail', async (t) => {
  const errors: unknown[] = [];
  const failing = { ...handlerOf([], 'a'), close: () => Promise.reject(new Error('stuck')) };
  const chain = createHandlerChain([failing], (error) => errors.push(error));
  chain.use([]);
  await chain.close();
  t.regex(String(errors[0]), /stuck/);
});
