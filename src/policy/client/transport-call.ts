import type { Clock } from '../../telemetry/clock.js';
import { type CallOptions, PolicyTransportError } from './policy-transport.js';

/** A call to the policy server waits this long for its answer; each attempt anew (BEHAVIOUR 6, "Retry"). */
const CALL_TIMEOUT_MS = 5000;

export type CallOutcome<T> =
  | { readonly type: 'answered'; readonly answer: T }
  | { readonly type: 'failed'; readonly error: PolicyTransportError }
  | { readonly type: 'cancelled' };

/**
 * Makes one call and settles by its deadline, even if the transport never does. Never rejects: what the transport
 * throws becomes a PolicyTransportError here, once.
 *
 * @param cancel aborting it gives the call up
 */
export function callTransport<T>(
  call: (options: CallOptions) => Promise<T>,
  clock: Clock,
  cancel?: AbortSignal,
): Promise<CallOutcome<T>> {
  if (cancel?.aborted) return Promise.resolve({ type: 'cancelled' });
  return new Promise((resolve) => {
    const controller = new AbortController();
    const settle = (outcome: CallOutcome<T>): void => {
      stopTimer();
      cancel?.removeEventListener('abort', onCancel);
      resolve(outcome);
    };
    const giveUp = (outcome: CallOutcome<T>): void => {
      settle(outcome);
      controller.abort();
    };
    const onCancel = (): void => giveUp({ type: 'cancelled' });
    const stopTimer = clock.schedule(CALL_TIMEOUT_MS, () => giveUp({ type: 'failed', error: timeoutError() }));
    cancel?.addEventListener('abort', onCancel);
    start(call, { timeoutMs: CALL_TIMEOUT_MS, signal: controller.signal }).then(
      (answer) => settle({ type: 'answered', answer }),
      (error: unknown) => settle({ type: 'failed', error: asTransportError(error) }),
    );
  });
}

/** A transport that throws at once is the same as one that rejects. */
async function start<T>(call: (options: CallOptions) => Promise<T>, options: CallOptions): Promise<T> {
  return call(options);
}

function timeoutError(): PolicyTransportError {
  return new PolicyTransportError('timeout', `The policy server did not answer within ${CALL_TIMEOUT_MS} ms`);
}

function asTransportError(error: unknown): PolicyTransportError {
  if (error instanceof PolicyTransportError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PolicyTransportError('other', `The policy server could not be asked: ${reason}`, { cause: error });
}
