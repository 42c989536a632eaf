import type { Clock } from '../../base/clock.js';
import { type CallOptions, PolicyTransportError } from './policy-transport.js';
import { createRecencyList } from './recency-list.js';

/**
 * A call to the policy server waits this long for its answer; each attempt anew
 * (docs/reference/policy-client.md#retries).
 */
export const CALL_TIMEOUT_MS = 5000;

export type CallOutcome<T> =
  | { readonly type: 'answered'; readonly answer: T }
  | { readonly type: 'failed'; readonly error: PolicyTransportError }
  | { readonly type: 'cancelled' };

/** What the transport is told of a call. */
class TransportCall implements CallOptions {
  readonly timeoutMs = CALL_TIMEOUT_MS;
  #controller: AbortController | undefined;
  #isGivenUp = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isGivenUp) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#controller?.abort();
  }
}

/**
 * Makes one call and settles by its deadline, even if the transport never does. Never rejects: what the transport
 * throws becomes a PolicyTransportError here, once. A transport that answers at once is not waited for.
 *
 * @param deadlines of CALL_TIMEOUT_MS
 * @param cancel aborting it gives the call up
 */
export function callTransport<T>(
  call: (options: CallOptions) => T | Promise<T>,
  deadlines: CallDeadlines,
  cancel?: AbortSignal,
): CallOutcome<T> | Promise<CallOutcome<T>> {
  if (cancel?.aborted) return { type: 'cancelled' };
  const options = new TransportCall();
  let answer: T | Promise<T>;
  try {
    answer = call(options);
  } catch (error) {
    // A transport that throws is the same as one that rejects.
    return { type: 'failed', error: asTransportError(error) };
  }
  if (answer instanceof Promise) return awaitAnswer(answer, options, deadlines, cancel);
  // A promise of another library: to take it for the answer would be to lose it.
  const isThenable = typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function';
  return isThenable ? awaitAnswer(Promise.resolve(answer), options, deadlines, cancel) : { type: 'answered', answer };
}

function awaitAnswer<T>(
  answer: Promise<T>,
  options: TransportCall,
  deadlines: CallDeadlines,
  cancel: AbortSignal | undefined,
): Promise<CallOutcome<T>> {
  return new Promise((resolve) => {
    let stopWaiting = (): void => {};
    const settle = (outcome: CallOutcome<T>): void => {
      stopWaiting();
      cancel?.removeEventListener('abort', onCancel);
      resolve(outcome);
    };
    const giveUp = (outcome: CallOutcome<T>): void => {
      settle(outcome);
      options.giveUp();
    };
    const onCancel = (): void => giveUp({ type: 'cancelled' });
    // First, so that a rejection is handled whatever fails below.
    answer.then(
      (value) => settle({ type: 'answered', answer: value }),
      (error: unknown) => settle({ type: 'failed', error: asTransportError(error) }),
    );
    try {
      stopWaiting = deadlines.add(() => giveUp({ type: 'failed', error: timeoutError() }));
      cancel?.addEventListener('abort', onCancel);
    } catch (error) {
      // Without a timer the call could wait for ever.
      giveUp({ type: 'failed', error: asTransportError(error) });
    }
  });
}

function timeoutError(): PolicyTransportError {
  return new PolicyTransportError('timeout', `The policy server did not answer within ${CALL_TIMEOUT_MS} ms`);
}

export function asTransportError(error: unknown): PolicyTransportError {
  if (error instanceof PolicyTransportError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PolicyTransportError('other', `The policy server could not be asked: ${reason}`, { cause: error });
}

/** Deadlines of calls that all may take the same time. */
export interface CallDeadlines {
  /**
   * Calls `expire` once the time is over; the returned function prevents that. It may be called again, and after the
   * deadline.
   */
  add(expire: () => void): () => void;
}

interface Deadline {
  readonly dueMs: number;
  readonly expire: () => void;
  isOver: boolean;
}

/**
 * One timer for all calls under way: it runs for the oldest, for they expire in the order in which they begin. Without
 * calls there is none.
 */
export function createCallDeadlines(clock: Clock, timeoutMs: number): CallDeadlines {
  const waiting = createRecencyList<Deadline>();
  let stopTimer: (() => void) | undefined;

  const startTimer = (nowMs: number): void => {
    const oldest = waiting.oldest();
    if (oldest !== undefined) stopTimer = clock.schedule(Math.max(oldest.item.dueMs - nowMs, 0), expireDue);
  };
  const expireDue = (): void => {
    stopTimer = undefined;
    const nowMs = clock.monotonicMs();
    for (let link = waiting.oldest(); link !== undefined && link.item.dueMs <= nowMs; link = waiting.oldest()) {
      waiting.remove(link);
      link.item.isOver = true;
      link.item.expire();
    }
    if (stopTimer === undefined) startTimer(nowMs);
  };

  return {
    add(expire) {
      const nowMs = clock.monotonicMs();
      const link = waiting.add({ dueMs: nowMs + timeoutMs, expire, isOver: false });
      if (stopTimer === undefined) startTimer(nowMs);
      return () => {
        if (link.item.isOver) return;
        link.item.isOver = true;
        waiting.remove(link);
        if (waiting.oldest() !== undefined) return;
        stopTimer?.();
        stopTimer = undefined;
      };
    },
  };
}
