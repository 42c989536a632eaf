import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { type ConcurrencyLimits, createConcurrencyLimiter, OverloadError } from '../../base/concurrency-limiter.js';
import { AuthenticationError, type Caller } from './authenticator.js';
import { addressOf, blockedError } from './offenders.js';

export interface TokenVerdictsSettings extends ConcurrencyLimits {
  /** How long an accepted token stays accepted, at most. */
  readonly acceptedMs: number;
  readonly refusedMs: number;
  /** Stored verdicts of each kind. */
  readonly maxEntries: number;
}

/** A token to check. */
export interface TokenCase {
  readonly token: string;
  /** The verifier, if verdicts differ between verifiers. */
  readonly judge: string;
  /** Address and port of the caller. Addresses take turns. */
  readonly peer: string;
  /** Expiry according to the token itself, in milliseconds since 1970. */
  readonly expiresAtMs: number | undefined;
}

/** Recent verdicts about tokens. Only hashes of tokens are stored. */
export interface TokenVerdicts {
  /**
   * The stored verdict, or the result of `judge`. Concurrent calls with the same token share one call of `judge`.
   *
   * @throws AuthenticationError of `judge`, stored or new; other errors of `judge` are passed on and not stored
   */
  of(tokenCase: TokenCase, judge: () => Promise<Caller>): Promise<Caller>;
}

/**
 * Kubernetes itself keeps verdicts of webhooks for two minutes. The reason of a rejection may be corrected at any
 * moment, so rejections are kept for a shorter time. There is room for 10,000 sidecars, each with a renewed token.
 */
export const TOKEN_VERDICTS: TokenVerdictsSettings = {
  acceptedMs: 120_000,
  refusedMs: 10_000,
  maxEntries: 20_000,
  maxConcurrent: 32,
  maxConcurrentPerKey: 24,
  maxWaiting: 20_000,
  maxWaitMs: 10_000,
};

export interface TokenVerdictsHooks {
  /** Called with the reason when a token is not checked. */
  shed?(reason: OverloadError['reason']): void;
  /** Whether the address has been rejected so often, while its token waited, that the token is not worth a check. */
  isBlocked?(address: string): boolean;
}

export function createTokenVerdicts(
  clock: Clock,
  settings: TokenVerdictsSettings = TOKEN_VERDICTS,
  hooks: TokenVerdictsHooks = {},
): TokenVerdicts {
  const { acceptedMs, refusedMs, maxEntries } = settings;
  // Two maps, so that a flood of bad tokens evicts no good one.
  const accepted = createExpiringMap<Caller>(maxEntries, clock);
  const refused = createExpiringMap<AuthenticationError>(maxEntries, clock);
  const judging = new Map<string, Promise<Caller>>();
  const limiter = createConcurrencyLimiter(settings, clock);

  const decide = async (
    key: string,
    { expiresAtMs, judge: judgeName, peer }: TokenCase,
    judge: () => Promise<Caller>,
  ): Promise<Caller> => {
    try {
      // An API server that does not answer occupies only its own places.
      const address = addressOf(peer);
      const caller = await limiter.run(`${judgeName} ${address}`, () => {
        if (hooks.isBlocked?.(address) === true) throw blockedError(address);
        return judge();
      });
      const remainingMs = expiresAtMs === undefined ? acceptedMs : expiresAtMs - clock.now().getTime();
      accepted.set(key, caller, Math.min(acceptedMs, remainingMs));
      return caller;
    } catch (error) {
      if (error instanceof OverloadError) {
        hooks.shed?.(error.reason);
        throw new AuthenticationError(
          `too many tokens wait for a check: ${error.message} (NAV_TOKEN_REVIEW_QUEUE, NAV_TOKEN_REVIEW_WAIT); try again`,
          { cause: error, isOverload: true },
        );
      }
      if (error instanceof AuthenticationError && !error.isOverload) refused.set(key, error, refusedMs);
      throw error;
    } finally {
      judging.delete(key);
    }
  };

  return {
    of: async (tokenCase, judge) => {
      const key = createHash('sha256')
        .update(JSON.stringify([tokenCase.judge, tokenCase.token]))
        .digest('base64');
      const caller = accepted.get(key);
      if (caller !== undefined) return caller;
      const error = refused.get(key);
      if (error !== undefined) throw error;
      const pending = judging.get(key) ?? decide(key, tokenCase, judge);
      judging.set(key, pending);
      return await pending;
    },
  };
}

/** Stores values for a limited time. When it is full, the oldest value is evicted. */
interface ExpiringMap<Value> {
  get(key: string): Value | undefined;
  /** @param lifetimeMs a value with a lifetime of 0 or less is not stored */
  set(key: string, value: Value, lifetimeMs: number): void;
}

function createExpiringMap<Value>(maxEntries: number, clock: Clock): ExpiringMap<Value> {
  // In order of insertion.
  const entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.monotonicMs() < entry.untilMs) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set: (key, value, lifetimeMs) => {
      entries.delete(key);
      if (lifetimeMs <= 0) return;
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, untilMs: clock.monotonicMs() + lifetimeMs });
    },
  };
}
