import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from './attribute-bag.js';
import type { PolicyStatus, RouteDirective } from './policy-status.js';
import type { PreconditionResult } from './policy-transport.js';
import { createReferencedCache } from './referenced-cache.js';

const CHECK_CACHE_MAX_ENTRIES = 10_000;

/** The result of a check: the status, and the answer for a denied request. */
export interface CheckVerdict {
  readonly status: PolicyStatus;
  readonly routeDirective?: RouteDirective;
}

/**
 * Answers of Check calls for as long and as often as the server let them be used
 * (docs/reference/policy-client.md#check-cache).
 */
export interface CheckCache {
  /** A valid verdict for the bag. Finding it counts as one use. */
  find(bag: AttributeBag): CheckVerdict | undefined;
  /** Keeps the answer to a call that was made with the bag, if it may be kept. */
  store(bag: AttributeBag, precondition: PreconditionResult): void;
  readonly size: number;
}

interface CachedVerdict {
  readonly verdict: CheckVerdict;
  readonly expiresMs: number;
  /** Negative without limit. */
  usesLeft: number;
}

const SCOPE = '';

/** @param options.maxEntries 10,000 unless given */
export function createCheckCache(options: { readonly clock: Clock; readonly maxEntries?: number }): CheckCache {
  const { clock, maxEntries = CHECK_CACHE_MAX_ENTRIES } = options;
  const cache = createReferencedCache<CachedVerdict>({ clock, maxEntries });
  return {
    find(bag) {
      const nowMs = clock.monotonicMs();
      const cached = cache.find(SCOPE, bag, ({ expiresMs, usesLeft }) => nowMs < expiresMs && usesLeft !== 0);
      if (cached === undefined) return undefined;
      if (cached.usesLeft > 0) cached.usesLeft--;
      return cached.verdict;
    },
    store(bag, { status, validDurationMs, validUseCount, referencedAttributes, routeDirective }) {
      if (referencedAttributes === undefined) return;
      const expiresMs = clock.monotonicMs() + (validDurationMs ?? Number.POSITIVE_INFINITY);
      const verdict = { status, ...(routeDirective && { routeDirective }) };
      // An answer that must not be reused is stored too, because it replaces an older answer.
      cache.store(SCOPE, bag, referencedAttributes, { verdict, expiresMs, usesLeft: validUseCount });
    },
    get size() {
      return cache.size;
    },
  };
}
