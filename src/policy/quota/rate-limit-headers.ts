import type { ResponseHeaders } from '../client/check-flow.js';
import type { WindowShape } from './window-shape.js';

/** The state of a limit after a request. */
export interface LimitState {
  /** The name of the limit for callers. */
  readonly policy: string;
  readonly maxAmount: number;
  readonly shape: WindowShape;
  readonly left: number;
  readonly resetMs: number;
  /** Whether the limit refused the request. */
  readonly isExhausted: boolean;
}

/** The limits of one answer at most: proxies limit the size of headers. */
const MAX_LIMITS = 32;
const MS_PER_SECOND = 1000;
/** Of a structured field (RFC 9651). */
const MAX_INTEGER = 999_999_999_999_999;

/**
 * The fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11), as structured fields: lists of
 * strings with parameters. A refusal tells the state only of the limits that refuse: the wait in Retry-After must not end
 * before a window that RateLimit tells.
 */
export function rateLimitHeaders(states: readonly LimitState[]): ResponseHeaders | undefined {
  if (states.length === 0) return undefined;
  const told = states.length > MAX_LIMITS ? states.slice(0, MAX_LIMITS) : states;
  const isRefused = states.some(({ isExhausted }) => isExhausted);
  const shown = isRefused ? states.filter(({ isExhausted }) => isExhausted).slice(0, MAX_LIMITS) : told;
  return { 'ratelimit-policy': told.map(policyItem).join(', '), ratelimit: shown.map(stateItem).join(', ') };
}

/** The window of a month has the length of the longest month. */
function policyItem({ policy, maxAmount, shape: { durationMs } }: LimitState): string {
  return `${fieldString(policy)};q=${fieldInteger(maxAmount)};w=${seconds(durationMs)}`;
}

function stateItem({ policy, left, resetMs }: LimitState): string {
  return `${fieldString(policy)};r=${fieldInteger(left)};t=${seconds(resetMs)}`;
}

/** Whole seconds, rounded up: at least 1. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / MS_PER_SECOND));
}

function fieldInteger(value: number): number {
  return Math.min(value, MAX_INTEGER);
}

/** A string has printable ASCII characters only. Names of quotas may have others. */
function fieldString(text: string): string {
  return `"${text.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
