import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { type CallOptions, PolicyTransportError } from './policy-transport.js';
import { createRecencyList } from './recency-list.js';

/** How long each attempt at a call waits for its answer (docs/reference/policy-client.md#retries). */
export const CALL_TIMEOUT_MS = 5000;

export type CallOutcome<T> =
  | { readonly type: 'answered'; readonly answer: T }
  | { readonly type: 'failed'; readonly error: PolicyTransportError }
  | { readonly type: 'cancelled' };

/** The options that the transport gets. */
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
 * Makes one call and settles by its deadline, also when the transport never does. Never rejects: exceptions of the
 * transport become a PolicyTransportError here. An answer without a promise needs no deadline.
 *
 * @param deadlines of CALL_TIMEOUT_MS
 * @param cancel cancels the call
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
    // A transport may throw instead of rejecting.
    return { type: 'failed', error: asTransportError(error) };
  }
  if (answer instanceof Promise) return awaitAnswer(answer, options, deadlines, cancel);
  // A promise of another library is not the answer itself.
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
    // This comes first, so that a rejection is handled also when the following code fails.
    answer.then(
      (value) => settle({ type: 'answered', answer: value }),
      (error: unknown) => settle({ type: 'failed', error: asTransportError(error) }),
    );
    try {
      stopWaiting = deadlines.add(() => giveUp({ type: 'failed', error: timeoutError() }));
      cancel?.addEventListener('abort', onCancel);
    } catch (error) {
      // Without a timer, the call could wait without end.
      giveUp({ type: 'failed', error: asTransportError(error) });
    }
  });
}

function timeoutError(): PolicyTransportError {
  return new PolicyTransportError('timeout', `The policy server did not answer within ${CALL_TIMEOUT_MS} ms`);
}

export function asTransportError(error: unknown): PolicyTransportError {
  if (error instanceof PolicyTransportError) return error;
  const reason = errorText(error);
  return new PolicyTransportError('other', `The call to the policy server failed: ${reason}`, { cause: error });
}

/** Deadlines of calls with the same timeout. */
export interface CallDeadlines {
  /**
   * Calls `expire` at the deadline. The returned function prevents that; it may be called repeatedly and after the
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
 * One timer for all calls under way. It runs for the oldest call, because calls expire in the order of their start.
 * Without calls there is no timer.
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
