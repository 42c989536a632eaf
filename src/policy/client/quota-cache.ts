import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from './attribute-bag.js';
import type { QuotaResult } from './policy-transport.js';
import { createQuotaPrefetch, type QuotaGrant, type QuotaPrefetch, type Release } from './quota-prefetch.js';
import { createReferencedCache } from './referenced-cache.js';
import type { ResolvedFailPolicy } from './transport-config.js';

const QUOTA_CACHE_MAX_ENTRIES = 10_000;
/** Quotas without a charge for this time are dropped. */
const QUOTA_CACHE_IDLE_MS = 600_000;

type FailPolicy = ResolvedFailPolicy['policy'];

/** The reply to a question: the result of the server, no answer, or a denial before quotas were decided. */
export type QuotaReply = QuotaResult | 'unreachable' | 'skipped';

/** A question to the server about one quota, and the effect of its reply on the request that charges the quota. */
export interface QuotaQuestion {
  readonly amount: number;
  readonly bestEffort: boolean;
  /**
   * Takes the server's reply. Called once.
   *
   * @returns whether the request may pass, and the function that releases its units
   */
  answer(reply: QuotaReply): QuotaAnswer;
}

export type QuotaAnswer = { readonly type: 'granted'; readonly release?: Release } | QuotaRefusal;

export interface QuotaRefusal {
  readonly type: 'refused';
  /** Whether FAIL_CLOSE refuses because the quota could not be counted. Missing: the quota is exhausted. */
  readonly isUncounted?: boolean;
  /** The wait that the server named, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The outcome of a charge, as far as the client can decide. */
export type ChargeOutcome =
  | { readonly type: 'granted'; readonly release: Release; readonly prefetch?: QuotaQuestion }
  | QuotaRefusal
  /** The server decides. */
  | { readonly type: 'unknown'; readonly question: QuotaQuestion };

/** Charges quotas, from units fetched before where possible (docs/reference/policy-client.md#quota-cache). */
export interface QuotaCache {
  /** @param amount above 0 */
  charge(quota: string, amount: number, bag: AttributeBag): ChargeOutcome;
}

export interface QuotaCacheOptions {
  readonly clock: Clock;
  /**
   * The fail policy of all requests that charge this cache: units that FAIL_OPEN invents must not serve requests under
   * FAIL_CLOSE.
   */
  readonly failPolicy: FailPolicy;
  /** 10,000 unless given. */
  readonly maxEntries?: number;
}

/**
 * One prefetch for each quota and combination of the attribute values that the server named for it. Until the server
 * has named them, each request asks for its own units, all or nothing, so that no other request gets them.
 */
export function createQuotaCache(options: QuotaCacheOptions): QuotaCache {
  const { clock, failPolicy, maxEntries = QUOTA_CACHE_MAX_ENTRIES } = options;
  const cache = createReferencedCache<QuotaPrefetch>({ maxEntries, idleMs: QUOTA_CACHE_IDLE_MS, clock });
  const find = (quota: string, bag: AttributeBag) => cache.find(quota, bag, () => true);

  const learn = (quota: string, bag: AttributeBag, reply: QuotaReply): void => {
    const referenced = typeof reply === 'object' ? reply.referencedAttributes : undefined;
    // A concurrent request must not replace the entry of the first one.
    if (referenced === undefined || find(quota, bag) !== undefined) return;
    cache.store(quota, bag, referenced, createQuotaPrefetch(clock, failPolicy === 'FAIL_OPEN'));
  };

  return {
    charge(quota, amount, bag) {
      const prefetch = find(quota, bag);
      if (prefetch === undefined) {
        const question = uncachedQuestion(amount, failPolicy, (reply) => learn(quota, bag, reply));
        return { type: 'unknown', question };
      }
      const take = prefetch.take(amount);
      switch (take.type) {
        case 'refused':
          return refusal(prefetch.retryAfterMs());
        case 'taken': {
          const { release, fetch } = take;
          if (fetch === undefined) return { type: 'granted', release };
          const answer = (reply: QuotaReply): QuotaAnswer => {
            fetch.settle(readGrant(reply, failPolicy));
            return { type: 'granted', release };
          };
          return { type: 'granted', release, prefetch: { amount: fetch.amount, bestEffort: true, answer } };
        }
        case 'undecided': {
          const { fetch } = take;
          const answer = (reply: QuotaReply): QuotaAnswer => {
            const grant = readGrant(reply, failPolicy);
            fetch.settle(grant);
            const release = prefetch.takeAvailable(amount);
            if (release !== undefined) return { type: 'granted', release };
            return grant.type === 'lost' ? UNCOUNTED : refusal(prefetch.retryAfterMs());
          };
          return { type: 'unknown', question: { amount: fetch.amount, bestEffort: true, answer } };
        }
      }
    },
  };
}

/**
 * `disableQuotaCache`: the server decides about every charge, all or nothing
 * (docs/reference/policy-client.md#transportconfig).
 */
export function createUncachedQuotas(failPolicy: FailPolicy): QuotaCache {
  return {
    charge: (_quota, amount) => ({ type: 'unknown', question: uncachedQuestion(amount, failPolicy, () => {}) }),
  };
}

const UNCOUNTED: QuotaRefusal = { type: 'refused', isUncounted: true };

function uncachedQuestion(amount: number, failPolicy: FailPolicy, learn: (reply: QuotaReply) => void): QuotaQuestion {
  return {
    amount,
    bestEffort: false,
    answer: (reply) => {
      learn(reply);
      const grant = readGrant(reply, failPolicy);
      if (grant.type === 'lost') return UNCOUNTED;
      const isGranted = grant.type === 'unreachable' || (grant.type === 'granted' && grant.amount > 0);
      return isGranted ? { type: 'granted' } : refusal(grant.type === 'granted' ? grant.retryAfterMs : undefined);
    },
  };
}

/**
 * Under FAIL_OPEN, a missing result and a server that cannot count both grant the amount
 * (docs/reference/policy-client.md#check-flow). Under FAIL_CLOSE they grant nothing.
 */
function readGrant(reply: QuotaReply, failPolicy: FailPolicy): QuotaGrant {
  if (reply === 'skipped') return { type: reply };
  const isCounted = reply !== 'unreachable' && reply.status?.code !== 'UNAVAILABLE' && reply.grantedAmount !== -1;
  if (!isCounted) return { type: failPolicy === 'FAIL_OPEN' ? 'unreachable' : 'lost' };
  const { grantedAmount, validDurationMs, retryAfterMs } = reply;
  return { type: 'granted', amount: grantedAmount, validMs: validDurationMs, retryAfterMs };
}

function refusal(retryAfterMs: number | undefined): QuotaRefusal {
  return retryAfterMs === undefined ? { type: 'refused' } : { type: 'refused', retryAfterMs };
}
