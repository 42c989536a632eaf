import type { Duration__Output } from '../../generated/policy/google/protobuf/Duration.js';
import type { Timestamp__Output } from '../../generated/policy/google/protobuf/Timestamp.js';
import { PolicyWireError } from './policy-wire-error.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const MAX_NANOS = 999_999_999;
/** Ten thousand years, the longest google.protobuf.Duration. */
const MAX_DURATION_MS = 315_576_000_000_000;

/** Seconds and nanoseconds as the messages have them. */
interface WireTime {
  readonly seconds: string;
  readonly nanos: number;
}

/** @param epochNs nanoseconds since 1970-01-01T00:00:00Z; those of the message count forward, always */
export function encodeTimestamp(epochNs: bigint): WireTime {
  const nanos = ((epochNs % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND;
  return { seconds: String((epochNs - nanos) / NANOSECONDS_PER_SECOND), nanos: Number(nanos) };
}

/** @throws PolicyWireError when the nanoseconds are not those of a second */
export function decodeTimestamp({ seconds = '0', nanos = 0 }: Timestamp__Output, field: string): bigint {
  if (nanos < 0 || nanos > MAX_NANOS) {
    throw new PolicyWireError(`${field}.nanos`, `is ${nanos}: write 0 to ${MAX_NANOS}`);
  }
  return BigInt(seconds) * NANOSECONDS_PER_SECOND + BigInt(nanos);
}

/** @param durationNs nanoseconds; both fields of the message have its sign */
export function encodeDuration(durationNs: bigint): WireTime {
  return {
    seconds: String(durationNs / NANOSECONDS_PER_SECOND),
    nanos: Number(durationNs % NANOSECONDS_PER_SECOND),
  };
}

/** @throws PolicyWireError when the nanoseconds are more than a second, or have another sign than the seconds */
export function decodeDuration({ seconds = '0', nanos = 0 }: Duration__Output, field: string): bigint {
  const isOpposed = seconds !== '0' && nanos !== 0 && seconds.startsWith('-') !== nanos < 0;
  if (isOpposed || Math.abs(nanos) > MAX_NANOS) {
    const problem = `is ${nanos} beside ${seconds} seconds: write up to ${MAX_NANOS} with the sign of the seconds`;
    throw new PolicyWireError(`${field}.nanos`, problem);
  }
  return BigInt(seconds) * NANOSECONDS_PER_SECOND + BigInt(nanos);
}

/** A Duration to the nanosecond, of ten thousand years at most. */
export function encodeMilliseconds(milliseconds: number): WireTime {
  const bounded = Math.min(Math.max(milliseconds, -MAX_DURATION_MS), MAX_DURATION_MS);
  const whole = Math.trunc(bounded);
  return encodeDuration(BigInt(whole) * 1_000_000n + BigInt(Math.round((bounded - whole) * 1e6)));
}

/** @throws PolicyWireError as decodeDuration does */
export function decodeMilliseconds(duration: Duration__Output, field: string): number {
  const nanoseconds = decodeDuration(duration, field);
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6;
}
