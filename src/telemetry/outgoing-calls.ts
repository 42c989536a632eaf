import type { Clock } from '../base/clock.js';
import type { Metrics } from './metrics.js';

/** Values of the label `request_type` (docs/reference/metrics.md). */
export type RequestType =
  /** API servers: lists, watches until their first byte, and writes. */
  | 'api_server'
  /** Keys of JWT issuers that RequestAuthentications name. */
  | 'jwks'
  /** Documents of TOKEN_ISSUER and of SPIFFE_BUNDLE_ENDPOINTS. */
  | 'trust'
  /** Checks and reports that a remote policy server answers. */
  | 'policy'
  /** Calls of adapters that are programs of their own. */
  | 'adapter'
  /** Tokens for these calls. */
  | 'token_exchange'
  /** Lists and collectors that handlers of rules name. */
  | 'handler';

/** Records the calls of this process to other servers. */
export interface OutgoingCalls {
  /**
   * Makes a call and records it: num_outgoing_requests, num_failed_outgoing_requests when it throws,
   * num_outgoing_retries when it repeats a failed call, outgoing_latency.
   *
   * @param subject equal for calls that repeat each other: a URL, or the message that is sent again
   * @param isFailure whether a result counts as a failure; default: only an error does
   */
  run<Result>(
    type: RequestType,
    subject: string | object,
    call: () => Promise<Result>,
    isFailure?: (result: Result) => boolean,
  ): Promise<Result>;
}

/** URLs whose last call failed. Beyond this number, the one that failed first is forgotten. */
const MAX_FAILED_URLS = 1000;

export function createOutgoingCalls(metrics: Pick<Metrics, 'increment'>, clock: Clock): OutgoingCalls {
  const failedUrls = new Set<string>();
  const failedMessages = new WeakSet<object>();
  const hasFailed = (subject: string | object): boolean =>
    typeof subject === 'string' ? failedUrls.has(subject) : failedMessages.has(subject);
  const failed = (subject: string | object): void => {
    if (typeof subject !== 'string') {
      failedMessages.add(subject);
      return;
    }
    failedUrls.add(subject);
    if (failedUrls.size <= MAX_FAILED_URLS) return;
    for (const oldest of failedUrls) {
      failedUrls.delete(oldest);
      break;
    }
  };
  const succeeded = (subject: string | object): void => {
    if (typeof subject === 'string') failedUrls.delete(subject);
    else failedMessages.delete(subject);
  };
  return {
    run: async (type, subject, call, isFailure = () => false) => {
      const labels = { request_type: type };
      const fail = (): void => {
        metrics.increment('num_failed_outgoing_requests', labels);
        failed(subject);
      };
      metrics.increment('num_outgoing_requests', labels);
      if (hasFailed(subject)) metrics.increment('num_outgoing_retries', labels);
      const startMs = clock.monotonicMs();
      try {
        const result = await call();
        if (isFailure(result)) fail();
        else succeeded(subject);
        return result;
      } catch (error) {
        fail();
        throw error;
      } finally {
        metrics.increment('outgoing_latency', labels, clock.monotonicMs() - startMs);
      }
    },
  };
}
