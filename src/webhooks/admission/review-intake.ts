import type { Clock } from '../../base/clock.js';
import { type BodyBudget, createBodyBudget } from './body-budget.js';
import type { ReviewCaller } from './review-caller.js';
import { createReviewQueue, type LaneRefusal, type ReviewQueue } from './review-queue.js';

/** Why a review was rejected unread. */
export type ShedReason = 'bytes' | LaneRefusal;

export interface ReviewIntakeOptions {
  readonly clock: Clock;
  /** Total bytes of bodies that are received, wait or are answered. Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Estimated total bytes of parsed reviews. Default 192 MiB. */
  readonly maxParsedBytes?: number;
  /** How long a review may wait for its turn. Default 2,000 ms; API servers wait 10,000 ms. */
  readonly maxWaitMs?: number;
  /** Called for each review that is rejected unread. */
  readonly onShed?: (caller: ReviewCaller, reason: ShedReason) => void;
}

/** The memory limits and the queue that all endpoints of a server share. */
export interface ReviewIntake {
  readonly budget: BodyBudget;
  readonly queue: ReviewQueue;
  shed(caller: ReviewCaller, reason: ShedReason): void;
}

const MAX_BODY_BYTES = 64 << 20;
const MAX_PARSED_BYTES = 192 << 20;
const MAX_WAIT_MS = 2000;

export function createReviewIntake(options: ReviewIntakeOptions): ReviewIntake {
  const { clock, onShed = () => undefined } = options;
  const { maxBodyBytes = MAX_BODY_BYTES, maxParsedBytes = MAX_PARSED_BYTES, maxWaitMs = MAX_WAIT_MS } = options;
  return {
    budget: createBodyBudget(maxBodyBytes),
    queue: createReviewQueue({ clock, maxParsedBytes, maxWaitMs }),
    shed: onShed,
  };
}

/** The error text for the caller. API servers include it in their own error. */
export function shedText(reason: ShedReason, maxWaitMs: number): string {
  switch (reason) {
    case 'bytes':
      return 'the bodies of all reviews together take more than NAV_WEBHOOK_BODY_BYTES; try again';
    case 'queue-full':
      return 'too many large reviews are waiting; try again, or send objects of less than 64 KiB';
    case 'parsed-size':
      return 'the review consists of too many values: parsed, it would take more than a quarter of NAV_WEBHOOK_PARSED_BYTES';
    case 'queue-time':
      return `the review has waited ${maxWaitMs} ms (NAV_WEBHOOK_QUEUE_TIMEOUT) for its turn; try again`;
  }
}
