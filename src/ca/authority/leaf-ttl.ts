import { formatDuration } from '../../config/format-duration.js';
import { SigningError } from './certificate-authority.js';

export interface TtlLimits {
  /** DEFAULT_WORKLOAD_CERT_TTL */
  readonly defaultMs: number;
  /** MAX_WORKLOAD_CERT_TTL */
  readonly maxMs: number;
}

/**
 * How long a certificate lasts (SPEC 7 and 8): as asked for, or the default where nothing is; never longer than what it
 * is verified by. A default above the maximum counts as the maximum.
 *
 * @param remainingMs for which the authority's own certificates are still valid
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
