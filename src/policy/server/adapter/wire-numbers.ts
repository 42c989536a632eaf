import type { WireInt64, WireTimestamp } from './envoy-messages.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** A 64-bit integer with all its digits; 0 when it is missing, as on the wire. */
export function wireInt64(value: WireInt64 | null | undefined): bigint {
  return value === undefined || value === null ? 0n : BigInt(value.toString());
}

/** Nanoseconds of a Timestamp, since 1970-01-01T00:00:00Z, or of a Duration. */
export function wireNanoseconds(value: WireTimestamp | null | undefined): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  return wireInt64(value.seconds) * NANOSECONDS_PER_SECOND + BigInt(value.nanos ?? 0);
}
