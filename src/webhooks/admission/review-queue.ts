import type { Clock } from '../../base/clock.js';
import type { ReviewCaller } from './review-caller.js';
import { createReviewLane, type ReviewLane } from './review-lane.js';
import type { WorkPace } from './work-pace.js';

/** A review whose body is whole and not parsed yet. */
export interface WaitingReview {
  readonly caller: ReviewCaller;
  /** Of the body. */
  readonly bytes: number;
  /** What it will take once it is parsed, by estimate. Asked for once, when it begins to wait: it reads the whole body. */
  parsedBytes(): number;
  /** Aborted when its caller has gone. */
  readonly signal: AbortSignal;
}

/** Why a review does not run: too many wait, it has waited too long, or it is too large by itself. */
export type LaneRefusal = 'queue-full' | 'queue-time' | 'parsed-size';

export type QueueOutcome<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'shed'; readonly reason: LaneRefusal }
  | { readonly type: 'gone' };

export interface ReviewQueue {
  readonly maxWaitMs: number;
  /** Whether a review of a body so long would be turned away now, so that its body need not be read. */
  isFull(caller: ReviewCaller, bytes: number | undefined): boolean;
  /**
   * Runs a review when it is its turn. @param work gets the pace at which heavy work of its kind may be done
   * @throws what the work throws
   */
  run<Result>(review: WaitingReview, work: (pace: WorkPace) => Promise<Result>): Promise<QueueOutcome<Result>>;
}

export interface ReviewQueueOptions {
  readonly clock: Clock;
  /** Of all lanes together. */
  readonly maxParsedBytes: number;
  readonly maxWaitMs: number;
}

/** Bodies up to here are small: objects of Kubernetes and of the mesh seldom have more than 10 KiB. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** An API server has up to 200 changes under way, and a review may wait half a second for what an object refers to. */
const SLOTS = 256;

/**
 * Three lanes, which do not wait for one another: callers with a certificate, and small and large reviews of the
 * others. Whatever is sent in one of them, the others go on, and reviews of an API server with a certificate are
 * delayed by none of the others.
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
