import type { Clock } from '../../telemetry/clock.js';
import type { AttributeBag } from './attribute-bag.js';
import type { QuotaResult } from './policy-transport.js';
import { createQuotaPrefetch, type GiveBack, type QuotaGrant, type QuotaPrefetch } from './quota-prefetch.js';
import { createReferencedCache } from './referenced-cache.js';

const QUOTA_CACHE_MAX_ENTRIES = 10_000;
/** Quotas that nobody charged during this time are forgotten. */
const QUOTA_CACHE_IDLE_MS = 600_000;

/** What came of a question: the server's result, no answer, or a denial of the request before quotas were looked at. */
export type QuotaReply = QuotaResult | 'unreachable' | 'skipped';

/** What to ask of the server for one quota, and what its answer means for the request that charges it. */
export interface QuotaQuestion {
  readonly amount: number;
  readonly bestEffort: boolean;
  /**
   * Takes the server's reply. Called once.
   *
   * @returns whether the request may pass, and how to give back what it took
   */
  answer(reply: QuotaReply): QuotaAnswer;
}

export type QuotaAnswer = { readonly type: 'granted'; readonly giveBack?: GiveBack } | QuotaRefusal;

export interface QuotaRefusal {
  readonly type: 'refused';
  /** Until it is worth asking again, as far as the server told. */
  readonly retryAfterMs?: number | undefined;
}

/** What the client knows by itself about charging a quota. */
export type ChargeOutcome =
  | { readonly type: 'granted'; readonly giveBack: GiveBack; readonly prefetch?: QuotaQuestion }
  | QuotaRefusal
  /** The server decides. */
  | { readonly type: 'unknown'; readonly question: QuotaQuestion };

/** Charges quotas, from units fetched before where possible (BEHAVIOUR 6, "Quota cache"). */
export interface QuotaCache {
  /** @param amount above 0 */
  charge(quota: string, amount: number, bag: AttributeBag): ChargeOutcome;
}

export interface QuotaCacheOptions {
  readonly clock: Clock;
  /** 10,000 unless given. */
  readonly maxEntries?: number;
}

/**
 * One prefetch per quota and values of the attributes that the server said the quota depends on. Until the server has
 * said so, each request asks for itself, all or nothing, so that nothing is lent to the wrong one.
 */
export function createQuotaCache({ clock, maxEntries = QUOTA_CACHE_MAX_ENTRIES }: QuotaCacheOptions): QuotaCache {
  const cache = createReferencedCache<QuotaPrefetch>({ maxEntries, idleMs: QUOTA_CACHE_IDLE_MS, clock });
  const find = (quota: string, bag: AttributeBag) => cache.find(quota, bag, () => true);

  const learn = (quota: string, bag: AttributeBag, reply: QuotaReply): void => {
    const referenced = typeof reply === 'object' ? reply.referencedAttributes : undefined;
    // Requests that asked at the same time must not replace what the first of them learnt.
    if (referenced === undefined || find(quota, bag) !== undefined) return;
    cache.store(quota, bag, referenced, createQuotaPrefetch(clock));
  };

  return {
    charge(quota, amount, bag) {
      const prefetch = find(quota, bag);
      if (prefetch === undefined) {
        const question = uncachedQuestion(amount, (reply) => learn(quota, bag, reply));
        return { type: 'unknown', question };
      }
      const take = prefetch.take(amount);
      switch (take.type) {
        case 'refused':
          return refusal(prefetch.retryAfterMs());
        case 'taken': {
          const { giveBack, fetch } = take;
          if (fetch === undefined) return { type: 'granted', giveBack };
          const answer = (reply: QuotaReply): QuotaAnswer => {
            fetch.settle(readGrant(reply));
            return { type: 'granted', giveBack };
          };
          return { type: 'granted', giveBack, prefetch: { amount: fetch.amount, bestEffort: true, answer } };
        }
        case 'undecided': {
          const { fetch } = take;
          const answer = (reply: QuotaReply): QuotaAnswer => {
            fetch.settle(readGrant(reply));
            const giveBack = prefetch.takeAvailable(amount);
            return giveBack === undefined ? refusal(prefetch.retryAfterMs()) : { type: 'granted', giveBack };
          };
          return { type: 'unknown', question: { amount: fetch.amount, bestEffort: true, answer } };
        }
      }
    },
  };
}

/** `disableQuotaCache`: the server is asked about every charge, all or nothing (SPEC 2.12). */
export function createUncachedQuotas(): QuotaCache {
  return { charge: (_quota, amount) => ({ type: 'unknown', question: uncachedQuestion(amount, () => {}) }) };
}

function uncachedQuestion(amount: number, learn: (reply: QuotaReply) => void): QuotaQuestion {
  return {
    amount,
    bestEffort: false,
    answer: (reply) => {
      learn(reply);
      const grant = readGrant(reply);
      const isGranted = grant.type === 'unreachable' || (grant.type === 'granted' && grant.amount > 0);
      return isGranted ? { type: 'granted' } : refusal(grant.type === 'granted' ? grant.retryAfterMs : undefined);
    },
  };
}

/** No answer for the quota counts as granted, and so does a server that says it cannot count (BEHAVIOUR 6, "Flow"). */
function readGrant(reply: QuotaReply): QuotaGrant {
  if (typeof reply === 'string') return { type: reply };
  const { grantedAmount, status, validDurationMs, retryAfterMs } = reply;
  if (status?.code === 'UNAVAILABLE' || grantedAmount === -1) return { type: 'unreachable' };
  return { type: 'granted', amount: grantedAmount, validMs: validDurationMs, retryAfterMs };
}

function refusal(retryAfterMs: number | undefined): QuotaRefusal {
  return retryAfterMs === undefined ? { type: 'refused' } : { type: 'refused', retryAfterMs };
}
