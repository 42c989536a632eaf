import type { Clock } from '../base/clock.js';
import type { UpstreamResponse } from './upstream-response.js';

/** A response from the cache. */
export interface CachedResponse {
  readonly response: UpstreamResponse;
  readonly ageSeconds: number;
}

/** Responses of upstream servers for as long as their TTL says. */
export interface AnswerCache {
  get(key: string): CachedResponse | undefined;
  set(key: string, response: UpstreamResponse): void;
  /** Estimated bytes of all entries. */
  readonly bytes: number;
}

/** Records are kept for at most a day and negative answers for at most an hour, even if an upstream server says longer. */
const MAX_SECONDS = 86_400;
const MAX_NEGATIVE_SECONDS = 3_600;
/** A failure is remembered shortly (RFC 9520), so that retries of clients do not multiply it. */
const FAILURE_SECONDS = 1;
/** Objects, the entry of the map and the array of offsets of an entry. */
const ENTRY_BYTES = 400;
const OFFSET_BYTES = 8;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;

interface Entry {
  readonly response: UpstreamResponse;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly bytes: number;
}

/** @param maxBytes beyond it, the entries that were not used for the longest time are removed; 0 keeps none */
export function createAnswerCache(maxBytes: number, clock: Clock): AnswerCache {
  // In the order of use.
  const entries = new Map<string, Entry>();
  let total = 0;

  const remove = (key: string, { bytes }: Entry): void => {
    entries.delete(key);
    total -= bytes;
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const nowMs = clock.monotonicMs();
      if (nowMs >= entry.untilMs) {
        remove(key, entry);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return { response: entry.response, ageSeconds: Math.floor((nowMs - entry.sinceMs) / 1000) };
    },
    set: (key, response) => {
      const seconds = lifetimeOf(response);
      const bytes = ENTRY_BYTES + 2 * key.length + response.bytes.length + OFFSET_BYTES * response.ttlOffsets.length;
      const known = entries.get(key);
      if (known !== undefined) remove(key, known);
      if (seconds <= 0 || bytes > maxBytes) return;
      const sinceMs = clock.monotonicMs();
      // A copy: the received bytes can be a small part of a large allocation.
      const copy = { ...response, bytes: Buffer.from(response.bytes) };
      entries.set(key, { response: copy, sinceMs, untilMs: sinceMs + seconds * 1000, bytes });
      total += bytes;
      for (const [oldest, entry] of entries) {
        if (total <= maxBytes) break;
        remove(oldest, entry);
      }
    },
    get bytes() {
      return total;
    },
  };
}

function lifetimeOf({ rcode, isTruncated, answers, ttlSeconds, negativeTtlSeconds }: UpstreamResponse): number {
  if (isTruncated) return 0;
  if (rcode === SERVER_FAILURE) return FAILURE_SECONDS;
  if (rcode !== 0 && rcode !== NAME_ERROR) return 0;
  // Only NXDOMAIN and NODATA have a SOA record, also behind aliases.
  if (negativeTtlSeconds !== undefined) {
    return Math.min(ttlSeconds ?? MAX_NEGATIVE_SECONDS, negativeTtlSeconds, MAX_NEGATIVE_SECONDS);
  }
  return rcode === 0 && answers > 0 ? Math.min(ttlSeconds ?? 0, MAX_SECONDS) : 0;
}
