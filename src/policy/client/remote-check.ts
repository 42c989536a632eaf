import type { Clock } from '../../base/clock.js';
import { isRecord } from '../../base/record.js';
import { isRpcCode } from '../../base/rpc-code.js';
import type { ClientCounter, ClientStatistics } from './client-statistics.js';
import {
  type CheckRequest,
  type CheckResponse,
  type PolicyTransport,
  PolicyTransportError,
  type TransportFailure,
} from './policy-transport.js';
import {
  asTransportError,
  CALL_TIMEOUT_MS,
  type CallOutcome,
  callTransport,
  createCallDeadlines,
} from './transport-call.js';
import { type ResolvedFailPolicy, retryDelayMs } from './transport-config.js';

export interface RemoteCheckDependencies {
  readonly transport: PolicyTransport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Unique to this client: the first part of every deduplication id. */
  readonly clientId: string;
  readonly statistics: ClientStatistics;
}

export type RemoteCheckRequest = Omit<CheckRequest, 'deduplicationId'> & {
  /** Replaces the id that the client would make. */
  readonly deduplicationId?: string | undefined;
};

/** Asks the policy server, and again after transport errors. Rejects only with exceptions of the clock. */
export type RemoteCheck = (
  request: RemoteCheckRequest,
  failPolicy: ResolvedFailPolicy,
  cancel?: AbortSignal,
) => Promise<CallOutcome<CheckResponse>>;

const FAILURE_COUNTERS: Readonly<Record<TransportFailure, ClientCounter>> = {
  timeout: 'total_remote_call_timeouts',
  send: 'total_remote_call_send_errors',
  other: 'total_remote_call_other_errors',
};

/**
 * Makes the function for Check calls with the retries of docs/reference/policy-client.md#networkfailpolicy. All
 * attempts at one call have the same deduplication id: that of the request, or the client's id and a counter. A server
 * that received a lost call therefore charges once. Errors are counted for every attempt, a cancellation once.
 */
export function createRemoteCheck(dependencies: RemoteCheckDependencies): RemoteCheck {
  const { transport, clock, random, clientId, statistics } = dependencies;
  const deadlines = createCallDeadlines(clock, CALL_TIMEOUT_MS);
  let calls = 0;
  return async (request, failPolicy, cancel) => {
    const { attributes, quotas } = request;
    const identified = { attributes, quotas, deduplicationId: request.deduplicationId ?? `${clientId}${calls++}` };
    statistics.increment('total_remote_calls');
    for (let retries = 0; ; retries++) {
      const called = callTransport((options) => transport.check(identified, options), deadlines, cancel);
      const outcome = readOutcome(called instanceof Promise ? await called : called);
      if (outcome.type === 'answered') statistics.increment('total_remote_call_successes');
      if (outcome.type === 'failed') statistics.increment(FAILURE_COUNTERS[outcome.error.failure]);
      if (outcome.type === 'failed' && retries < failPolicy.maxRetry) {
        await wait(retryDelayMs(retries, failPolicy, random), clock, cancel);
        if (!cancel?.aborted) {
          statistics.increment('total_remote_call_retries');
          continue;
        }
      }
      if (!cancel?.aborted || outcome.type === 'answered') return outcome;
      statistics.increment('total_remote_call_cancellations');
      return { type: 'cancelled' };
    }
  };
}

/** An invalid answer is a failure of the transport. */
function readOutcome(outcome: CallOutcome<CheckResponse>): CallOutcome<CheckResponse> {
  if (outcome.type !== 'answered') return outcome;
  try {
    checkedAnswer(outcome.answer);
    return outcome;
  } catch (error) {
    return { type: 'failed', error: asTransportError(error) };
  }
}

/**
 * Ends early when the call is cancelled.
 *
 * @throws the exceptions of the clock: retries without a wait would have no end
 */
function wait(delayMs: number, clock: Clock, cancel?: AbortSignal): Promise<void> {
  if (cancel?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      stopTimer();
      cancel?.removeEventListener('abort', end);
      resolve();
    };
    const stopTimer = clock.schedule(delayMs, end);
    cancel?.addEventListener('abort', end);
  });
}

/**
 * Checks the answer of a transport, which the embedder may have written.
 *
 * @throws PolicyTransportError for any other value than a CheckResponse: the fail policy decides then
 */
function checkedAnswer(answer: unknown): CheckResponse {
  const problem = problemOf(answer);
  if (problem === undefined) return answer as CheckResponse;
  throw new PolicyTransportError('other', `The answer of the transport is not a CheckResponse: ${problem}`);
}

function problemOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return 'it is not an object';
  const { precondition, quotas } = answer;
  if (!isMap(quotas)) return 'quotas is not a Map';
  for (const result of quotas.values()) {
    if (!isRecord(result)) return 'a result in quotas is not an object';
    if (typeof result['grantedAmount'] !== 'number' || Number.isNaN(result['grantedAmount'])) {
      return 'grantedAmount of a quota is not a number';
    }
    if (result['status'] !== undefined && !isStatus(result['status'])) return 'status of a quota is not a PolicyStatus';
    const problem = problemOfRest(result);
    if (problem !== undefined) return `of a quota ${problem}`;
  }
  if (precondition === undefined) return undefined;
  if (!isRecord(precondition)) return 'precondition is not an object';
  if (!isStatus(precondition['status'])) return 'precondition.status is not a PolicyStatus';
  if (typeof precondition['validUseCount'] !== 'number') return 'precondition.validUseCount is not a number';
  const { routeDirective } = precondition;
  if (routeDirective !== undefined && !isRecord(routeDirective)) return 'precondition.routeDirective is not an object';
  return problemOfRest(precondition);
}

/** The members that preconditions and quota results share. */
function problemOfRest({ validDurationMs, referencedAttributes }: Fields): string | undefined {
  if (validDurationMs !== undefined && typeof validDurationMs !== 'number') return 'validDurationMs is not a number';
  if (referencedAttributes === undefined) return undefined;
  return Array.isArray(referencedAttributes) && referencedAttributes.every(isRecord)
    ? undefined
    : 'referencedAttributes is not a list of references';
}

type Fields = Readonly<Record<string, unknown>>;

/** Compares no class: a Map of another realm is valid too. */
function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (isRecord(value) && typeof value['get'] === 'function' && Symbol.iterator in value);
}

function isStatus(value: unknown): boolean {
  return isRecord(value) && isRpcCode(value['code']) && typeof value['message'] === 'string';
}
