import { randomFillSync } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type { ChargeResult } from '../quota-store.js';
import { AnswerGeneration } from './answer-generation.js';
import { createFingerprint } from './fingerprint.js';

/** Answers to requests that may be repeated. */
export interface RecentAnswers {
  find(key: string): readonly ChargeResult[] | undefined;
  add(key: string, results: readonly ChargeResult[]): void;
}

export interface RecentAnswersOptions {
  readonly clock: Clock;
  /** How long an answer is found. */
  readonly keptMs: number;
  /**
   * The number of stored answers. With more answers, the oldest half may be dropped early. An answer with more than
   * four charges needs the room of several.
   */
  readonly maxAnswers: number;
  /** Answers for which memory is reserved at first; it grows with the answers. Default: `maxAnswers`. */
  readonly firstAnswers?: number;
}

/** A generation without room is replaced by one with so many times the room. */
const GROWTH = 4;

/**
 * Two generations in memory of fixed size, or of a size that grows up to it, without an object for each answer. The older one is
 * dropped as a whole.
 *
 * Objects with a lifetime of a minute survive the collections of young objects, are copied to the old heap one by one,
 * and fill it until a full collection: at 1,000 requests a second that was most of the time that requests waited for
 * the garbage collector.
 */
export function createRecentAnswers(options: RecentAnswersOptions): RecentAnswers {
  const { clock, keptMs, maxAnswers, firstAnswers = maxAnswers } = options;
  const [key0 = 0, key1 = 0] = randomFillSync(new Int32Array(2));
  const fingerprintOf = createFingerprint([key0, key1]);
  const capacity = Math.max(1, Math.ceil(maxAnswers / 2));
  const first = Math.min(capacity, Math.max(1, Math.ceil(firstAnswers / 2)));
  /** A generation that can grow reserves no more than its answers need. */
  const minResultsOf = (size: number): 0 | undefined => (size < capacity ? 0 : undefined);
  let current = new AnswerGeneration(first, minResultsOf(first));
  let previous = new AnswerGeneration(first, minResultsOf(first));
  let nextGenerationMs = clock.monotonicMs() + keptMs;

  const startGeneration = (nowMs: number): void => {
    const oldest = previous;
    previous = current;
    current = oldest;
    current.clear();
    nextGenerationMs = nowMs + keptMs;
  };

  const addGrowing: AnswerGeneration['add'] = (...answer) => {
    while (!current.add(...answer)) {
      if (current.capacity >= capacity) return false;
      const larger = Math.min(current.capacity * GROWTH, capacity);
      current = current.enlarged(larger, minResultsOf(larger));
    }
    return true;
  };

  return {
    find: (key) => {
      const fingerprint = fingerprintOf(key);
      const nowMs = clock.monotonicMs();
      return current.find(fingerprint, nowMs) ?? previous.find(fingerprint, nowMs);
    },
    add: (key, results) => {
      const fingerprint = fingerprintOf(key);
      const nowMs = clock.monotonicMs();
      if (nowMs >= nextGenerationMs) startGeneration(nowMs);
      if (addGrowing(fingerprint, nowMs + keptMs, results)) return;
      startGeneration(nowMs);
      addGrowing(fingerprint, nowMs + keptMs, results);
    },
  };
}
