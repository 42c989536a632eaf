import { formatDuration } from '../../config/format-duration.js';
import { SigningError } from './certificate-authority.js';

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Clocks differ between machines. A certificate that began exactly now would often not be valid yet where it is used.
 */
const CLOCK_SKEW_MS = 60_000;
const SECOND_MS = 1_000;

/** A validity from one minute before now until `ttlMs` after now, in whole seconds as certificates require. */
export function validityFrom(now: Date, ttlMs: number): Validity {
  return {
    notBefore: wholeSecond(now.getTime() - CLOCK_SKEW_MS),
    notAfter: wholeSecond(now.getTime() + ttlMs + SECOND_MS - 1),
  };
}

function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / SECOND_MS) * SECOND_MS);
}

export interface TtlLimits {
  /** DEFAULT_WORKLOAD_CERT_TTL */
  readonly defaultMs: number;
  /** MAX_WORKLOAD_CERT_TTL */
  readonly maxMs: number;
}

/**
 * The lifetime of a certificate in milliseconds (docs/reference/certificate-authority.md#lifetimes): the requested one,
 * or the default if none is requested. It never exceeds the lifetime of the authority. A default above the maximum
 * counts as the maximum.
 *
 * @param remainingMs how long the certificates of the authority are still valid
 * @throws SigningError TTL_ERROR
 */
export function leafTtlMs(requestedMs: number, { defaultMs, maxMs }: TtlLimits, remainingMs: number): number {
  if (requestedMs > maxMs) {
    const message = `requested TTL ${formatTtl(requestedMs)} is greater than the max allowed TTL ${formatTtl(maxMs)}`;
    throw new SigningError('TTL_ERROR', message);
  }
  return Math.min(requestedMs > 0 ? requestedMs : defaultMs, maxMs, remainingMs);
}

function formatTtl(ms: number): string {
  return Number.isFinite(ms) ? formatDuration(BigInt(Math.round(ms)) * 1_000_000n) : String(ms);
}
