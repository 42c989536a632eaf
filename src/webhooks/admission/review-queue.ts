import type { Clock } from '../../base/clock.js';
import type { ReviewCaller } from './review-caller.js';
import { createReviewLane, type ReviewLane } from './review-lane.js';
import type { WorkPace } from './work-pace.js';

/** A review whose body is complete and not parsed yet. */
export interface WaitingReview {
  readonly caller: ReviewCaller;
  /** Size of the body. */
  readonly bytes: number;
  /** Estimated memory of the parsed body. Called once, when the wait begins, because it reads the whole body. */
  parsedBytes(): number;
  /** Aborted when the caller closes the connection. */
  readonly signal: AbortSignal;
}

/** Why a review does not run: too many wait, it waited too long, or it is too large. */
export type LaneRefusal = 'queue-full' | 'queue-time' | 'parsed-size';

export type QueueOutcome<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'shed'; readonly reason: LaneRefusal }
  | { readonly type: 'gone' };

export interface ReviewQueue {
  readonly maxWaitMs: number;
  /** Whether the queue would now reject a review of this size, so that its body need not be read. */
  isFull(caller: ReviewCaller, bytes: number | undefined): boolean;
  /**
   * Runs a review in its turn.
   *
   * @param work gets the pace for heavy work
   * @throws the error of the work
   */
  run<Result>(review: WaitingReview, work: (pace: WorkPace) => Promise<Result>): Promise<QueueOutcome<Result>>;
}

export interface ReviewQueueOptions {
  readonly clock: Clock;
  /** Total of all lanes. */
  readonly maxParsedBytes: number;
  readonly maxWaitMs: number;
}

/** Largest small body: objects of Kubernetes and of the mesh rarely have more than 10 KiB. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** An API server has up to 200 changes under way, and a review may wait half a second for a missing reference. */
const SLOTS = 256;

/**
 * Three lanes that do not wait for each other: reviews of callers with a certificate, and small and large reviews of
 * other callers. Load in one lane does not delay the others.
 */
export function createReviewQueue({ clock, maxParsedBytes, maxWaitMs }: ReviewQueueOptions): ReviewQueue {
  const half = maxParsedBytes / 2;
  const quarter = maxParsedBytes / 4;
  const common = { clock, maxWaitMs };
  const trusted = createReviewLane({ ...common, slots: SLOTS, maxWaiting: 1024, maxParsedBytes: half });
  const small = createReviewLane({ ...common, slots: SLOTS, maxWaiting: 1024, maxParsedBytes: quarter });
  const large = createReviewLane({
    ...common,
    slots: 2,
    maxWaiting: 8,
    maxParsedBytes: half,
    maxParsedBytesEach: quarter,
  });
  const laneOf = ({ isTrusted }: ReviewCaller, bytes: number | undefined): ReviewLane => {
    if (isTrusted) return trusted;
    return bytes !== undefined && bytes <= SMALL_BODY_BYTES ? small : large;
  };
  return {
    maxWaitMs,
    isFull: (caller, bytes) => laneOf(caller, bytes).isFull(caller.source),
    run: (review, work) => laneOf(review.caller, review.bytes).run(review, work),
  };
}
