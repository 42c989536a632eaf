import type { ChargeResult } from '../quota-store.js';
import type { Fingerprint } from './fingerprint.js';

/** Room for charges of each answer. Requests rarely charge more quotas. */
const RESULTS_PER_ANSWER = 4;
/** So that the largest possible answer fits in an empty generation. */
const MIN_RESULTS = 16_384;
/** Slots for each answer: half of them stay empty, so that a search ends soon. */
const SLOTS_PER_ANSWER = 2;

/**
 * Answers that are dropped together. All memory is reserved at once; the system provides pages when they are written.
 */
export class AnswerGeneration {
  /** Answers at most. */
  readonly capacity: number;
  /** Number of an answer, from 1, by the lowest bits of its fingerprint or in one of the next slots; 0 is empty. */
  readonly #slots: Int32Array;
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  readonly #untilMs: Float64Array;
  /** The first result of each answer; the results end at the first result of the next answer. */
  readonly #first: Uint32Array;
  readonly #granted: Float64Array;
  readonly #validMs: Float64Array;
  readonly #left: Float64Array;
  readonly #resetMs: Float64Array;
  /** NaN without a value. */
  readonly #retryAfterMs: Float64Array;
  readonly #isCharged: Uint8Array;
  #answers = 0;

  /** @param minResults room for results, at least four for each answer */
  constructor(capacity: number, minResults = MIN_RESULTS) {
    this.capacity = capacity;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity * SLOTS_PER_ANSWER)));
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#untilMs = new Float64Array(capacity);
    this.#first = new Uint32Array(capacity + 1);
    const results = Math.max(capacity * RESULTS_PER_ANSWER, minResults);
    this.#granted = new Float64Array(results);
    this.#validMs = new Float64Array(results);
    this.#left = new Float64Array(results);
    this.#resetMs = new Float64Array(results);
    this.#retryAfterMs = new Float64Array(results);
    this.#isCharged = new Uint8Array(results);
  }

  /** The results of the answer, if it is kept until later than now. */
  find(fingerprint: Fingerprint, nowMs: number): readonly ChargeResult[] | undefined {
    const answer = (this.#slots[this.#slotOf(fingerprint)] ?? 0) - 1;
    if (answer < 0 || nowMs >= (this.#untilMs[answer] ?? 0)) return undefined;
    const results: ChargeResult[] = [];
    const end = this.#first[answer + 1] ?? 0;
    for (let at = this.#first[answer] ?? 0; at < end; at++) results.push(this.#resultAt(at));
    return results;
  }

  /** Stores an answer in place of an earlier one with the same fingerprint; false without room. */
  add(fingerprint: Fingerprint, untilMs: number, results: readonly ChargeResult[]): boolean {
    const answer = this.#answers;
    const first = this.#first[answer] ?? 0;
    if (answer >= this.capacity || first + results.length > this.#granted.length) return false;
    this.#slots[this.#slotOf(fingerprint)] = answer + 1;
    this.#high[answer] = fingerprint.high;
    this.#low[answer] = fingerprint.low;
    this.#untilMs[answer] = untilMs;
    let at = first;
    for (const { granted, isCharged, validMs, left, resetMs, retryAfterMs } of results) {
      this.#granted[at] = granted;
      this.#isCharged[at] = isCharged ? 1 : 0;
      this.#validMs[at] = validMs;
      this.#left[at] = left;
      this.#resetMs[at] = resetMs;
      this.#retryAfterMs[at] = retryAfterMs ?? Number.NaN;
      at++;
    }
    this.#first[answer + 1] = first + results.length;
    this.#answers++;
    return true;
  }

  /** The same answers with room for more. */
  enlarged(capacity: number, minResults = MIN_RESULTS): AnswerGeneration {
    const larger = new AnswerGeneration(capacity, minResults);
    larger.#high.set(this.#high);
    larger.#low.set(this.#low);
    larger.#untilMs.set(this.#untilMs);
    larger.#first.set(this.#first);
    larger.#granted.set(this.#granted);
    larger.#validMs.set(this.#validMs);
    larger.#left.set(this.#left);
    larger.#resetMs.set(this.#resetMs);
    larger.#retryAfterMs.set(this.#retryAfterMs);
    larger.#isCharged.set(this.#isCharged);
    larger.#answers = this.#answers;
    for (let answer = 0; answer < this.#answers; answer++) {
      const fingerprint = { high: this.#high[answer] ?? 0, low: this.#low[answer] ?? 0 };
      larger.#slots[larger.#slotOf(fingerprint)] = answer + 1;
    }
    return larger;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#answers = 0;
  }

  /** The slot that has the fingerprint's answer, or an empty one where it belongs. */
  #slotOf({ high, low }: Fingerprint): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const answer = (this.#slots[slot] ?? 0) - 1;
      if (answer < 0 || (this.#low[answer] === low && this.#high[answer] === high)) return slot;
    }
  }

  #resultAt(at: number): ChargeResult {
    const result = {
      granted: this.#granted[at] ?? 0,
      isCharged: this.#isCharged[at] === 1,
      validMs: this.#validMs[at] ?? 0,
      left: this.#left[at] ?? 0,
      resetMs: this.#resetMs[at] ?? 0,
    };
    const retryAfterMs = this.#retryAfterMs[at] ?? Number.NaN;
    return Number.isNaN(retryAfterMs) ? result : { ...result, retryAfterMs };
  }
}
