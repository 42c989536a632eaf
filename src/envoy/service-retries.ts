import type { RetryPolicy } from '../generated/envoy/config/core/v3/RetryPolicy.js';
import { duration } from './durations.js';

/** How often a call of a server without an answer is retried, and after which time. */
export interface ServiceRetries {
  /** With 0, calls that have not reached a server are retried all the same: no server can have acted on them. */
  readonly maxRetries: number;
  /** At least 1. */
  readonly baseWaitMs: number;
  /** At least `baseWaitMs`. It is also the timeout of each attempt, which is at least 250 ms (see below). */
  readonly maxWaitMs: number;
}

/** Calls that did not reach a server. */
const NOT_REACHED = 'connect-failure,refused-stream,reset-before-request';

/** For calls without retries: enough attempts, almost without waits, to find one of several servers that is alive. */
const FIND_A_SERVER = { maxRetries: 3, baseWaitMs: 10 } as const;

/**
 * Envoy takes the longest wait as the timeout of an attempt too. Short waits must not make attempts at a slow server
 * fail.
 */
const MIN_ATTEMPT_MS = 250;

/**
 * A retry goes to a server that has not failed yet, if there is one. Envoy picks servers until it finds one, and picks
 * a dead server, which has the fewest requests, three times out of four if there are two. So the number of picks is
 * high. A single server is tried again.
 */
const ANOTHER_SERVER = {
  retryHostPredicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typedConfig: {
        type_url: 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
        // The message has no fields.
        value: Buffer.alloc(0),
      },
    },
  ],
  hostSelectionRetryMaxAttempts: 32,
} satisfies RetryPolicy;

/**
 * @param timeoutMs of the call; the attempt that reaches a server has all of it
 * @param notAnswered the failures after which a server may have acted on the call, in the terms of Envoy's `retry_on`
 */
export function buildRetryPolicy(retries: ServiceRetries, timeoutMs: number, notAnswered: string): RetryPolicy {
  const isRetried = retries.maxRetries > 0;
  const { maxRetries, baseWaitMs } = isRetried ? retries : FIND_A_SERVER;
  const attemptMs = Math.max(retries.maxWaitMs, isRetried ? MIN_ATTEMPT_MS : timeoutMs);
  return {
    retryOn: isRetried ? `${NOT_REACHED},${notAnswered}` : NOT_REACHED,
    numRetries: { value: maxRetries },
    retryBackOff: { baseInterval: duration(baseWaitMs), maxInterval: duration(attemptMs) },
    ...ANOTHER_SERVER,
  };
}

/** A text in a place where Envoy replaces `%…%`. */
export function literal(value: string): string {
  return value.replaceAll('%', '%%');
}
