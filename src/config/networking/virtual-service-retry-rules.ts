import { nearestName } from '../../base/nearest-name.js';
import { validateDuration } from '../duration-rules.js';
import type { Violation } from '../violation.js';
import type { RetrySpec } from './virtual-service-http.js';

/** Envoy's conditions of HTTP and of gRPC. */
const CONDITIONS: readonly string[] = [
  '5xx',
  'gateway-error',
  'reset',
  'reset-before-request',
  'connect-failure',
  'envoy-ratelimited',
  'retriable-4xx',
  'refused-stream',
  'retriable-status-codes',
  'retriable-headers',
  'http3-post-connect-failure',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
];

/** The conditions and status codes of `retryOn`. */
export function parseRetryOn(retryOn: string): { readonly conditions: string[]; readonly statusCodes: number[] } {
  const conditions: string[] = [];
  const statusCodes: number[] = [];
  for (const token of retryOn.split(',')) {
    const trimmed = token.trim();
    if (/^[1-5][0-9]{2}$/.test(trimmed)) statusCodes.push(Number(trimmed));
    else if (trimmed !== '') conditions.push(trimmed);
  }
  return { conditions, statusCodes };
}

export function* validateRetries(path: string, retries: RetrySpec | undefined): Iterable<Violation> {
  if (retries === undefined) return;
  yield* validateDuration(`${path}.perTryTimeout`, retries.perTryTimeout);
  if (retries.retryOn === undefined || retries.retryOn === '') return;
  for (const condition of parseRetryOn(retries.retryOn).conditions) {
    if (CONDITIONS.includes(condition)) continue;
    const nearest = nearestName(condition, CONDITIONS);
    yield {
      path: `${path}.retryOn`,
      value: condition,
      message: 'is neither a condition of Envoy nor a status code',
      remedy: nearest === undefined ? `use ${CONDITIONS.join(', ')}, or codes such as 503` : `use ${nearest}`,
    };
  }
}
