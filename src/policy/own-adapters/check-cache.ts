import type { Clock } from '../../base/clock.js';
import type { AdapterDecision } from '../rules/adapters/adapter.js';

/** Decisions of an adapter that it allows to be used again. */
export interface CheckCache {
  /** Counts a use. */
  get(key: string): AdapterDecision | undefined;
  /**
   * Keeps a decision that was used once. Decisions that may not be used again are not kept.
   *
   * @param bytes of the answer that the decision was read from
   */
  put(key: string, decision: AdapterDecision, bytes: number): void;
}

interface Kept {
  readonly decision: AdapterDecision;
  readonly untilMs: number;
  /** Of key and answer. */
  readonly bytes: number;
  /** Negative: without a limit. */
  usesLeft: number;
}

const MAX_DECISIONS = 10_000;
/** Keys are the bytes of instances, which callers make, and answers have bodies and outputs, which the adapter makes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Keeps decisions for as long and as often as the adapter says. An equal instance is an equal question: adapters get nothing
 * else of a request. When there are too many, the one that was used least recently is forgotten.
 */
export function createCheckCache(clock: Clock): CheckCache {
  const kept = new Map<string, Kept>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, entry: Kept): void => {
    forget(key);
    kept.set(key, entry);
    bytes += entry.bytes;
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_DECISIONS && bytes <= MAX_BYTES) break;
      forget(oldest);
    }
  };
  return {
    get: (key) => {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      if (clock.monotonicMs() >= entry.untilMs) {
        forget(key);
        return undefined;
      }
      if (entry.usesLeft > 0) entry.usesLeft--;
      if (entry.usesLeft === 0) forget(key);
      else keep(key, entry);
      return entry.decision;
    },
    put: (key, decision, answerBytes) => {
      const { validMs = 0, validUseCount = 0 } = decision;
      // The first use was that of the request that asked.
      if (validMs <= 0 || validUseCount === 0 || validUseCount === 1) return;
      const usesLeft = validUseCount < 0 ? -1 : validUseCount - 1;
      const untilMs = clock.monotonicMs() + validMs;
      keep(key, { decision, untilMs, bytes: key.length + answerBytes, usesLeft });
    },
  };
}
