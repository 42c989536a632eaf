import type { RetryPolicy } from './http-action.js';

/** Attempts to choose an endpoint that has not failed yet. */
export const OTHER_HOST_ATTEMPTS = 5;

/** Retries of requests whose route has no retries of its own (docs/reference/xds.md#routes). */
export const DEFAULT_RETRIES: RetryPolicy = {
  conditions: ['connect-failure', 'refused-stream', 'unavailable', 'cancelled', 'retriable-status-codes'],
  attempts: 2,
  statusCodes: [503],
  otherHostAttempts: OTHER_HOST_ATTEMPTS,
};
