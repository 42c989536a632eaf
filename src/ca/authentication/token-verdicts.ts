import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { type ConcurrencyLimits, createConcurrencyLimiter, OverloadError } from '../concurrency-limiter.js';
import { AuthenticationError, type Caller } from './authenticator.js';
import { createExpiringMap } from './expiring-map.js';
import { addressOf, blockedError } from './refuse-offenders.js';

export interface TokenVerdictsSettings extends ConcurrencyLimits {
  /** How long a token that was good counts as good, at most. */
  readonly acceptedMs: number;
  readonly refusedMs: number;
  /** Of each kind. */
  readonly maxEntries: number;
}

/** A token to be judged. */
export interface TokenCase {
  readonly token: string;
  /** By whom, where that makes a difference. */
  readonly judge: string;
  /** Address and port of the caller: addresses take turns. */
  readonly peer: string;
  /** When it ends by what it says itself, milliseconds since 1970. */
  readonly expiresAtMs: number | undefined;
}

/** What was found of tokens lately. The tokens themselves are not kept, only hashes. */
export interface TokenVerdicts {
  /**
   * The verdict of lately, or what `judge` finds, which is asked once for all who come together.
   *
   * @throws AuthenticationError that judge throws, or threw lately; whatever else it throws is not kept
   */
  of(tokenCase: TokenCase, judge: () => Promise<Caller>): Promise<Caller>;
}

/**
 * Kubernetes itself keeps what webhooks say of tokens for two minutes; what was refused may be put right any moment.
 * There is room for 10,000 sidecars, each with a token that was just renewed.
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
  /** Told why a token was not judged. */
  shed?(reason: OverloadError['reason']): void;
  /** Whether an address was refused so often, while the token waited, that it is not worth a question any more. */
  isBlocked?(address: string): boolean;
}

export function createTokenVerdicts(
  clock: Clock,
  settings: TokenVerdictsSettings = TOKEN_VERDICTS,
  hooks: TokenVerdictsHooks = {},
): TokenVerdicts {
  const { acceptedMs, refusedMs, maxEntries } = settings;
  // Apart from each other: no flood of bad tokens drives good ones out.
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
      // A judge that does not answer holds its own places.
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
          `too many tokens wait to be judged: ${error.message} (NAV_TOKEN_REVIEW_QUEUE, NAV_TOKEN_REVIEW_WAIT); try again`,
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
