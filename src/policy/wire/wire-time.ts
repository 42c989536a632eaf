import { LONGEST_DURATION_NS } from '../../base/parse-duration.js';
import type { Duration__Output } from '../../generated/policy/google/protobuf/Duration.js';
import type { Timestamp__Output } from '../../generated/policy/google/protobuf/Timestamp.js';
import { PolicyWireError } from './policy-wire-error.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const MAX_NANOS = 999_999_999;
/** Ten thousand years, the longest google.protobuf.Duration. */
const MAX_DURATION_MS = 315_576_000_000_000;

/** Seconds and nanoseconds with the same sign. Durations beyond 64 bits of seconds become the nearest valid one. */
export function durationMessage(nanoseconds: bigint): Duration__Output {
  return {
    seconds: int64Text(nanoseconds / NANOSECONDS_PER_SECOND),
    nanos: Number(nanoseconds % NANOSECONDS_PER_SECOND),
  };
}

/** @param epochNs nanoseconds since 1970-01-01T00:00:00Z. The nanoseconds of the message always count forward. */
export function timestampMessage(epochNs: bigint): Timestamp__Output {
  const nanos = nanosOf(epochNs);
  return { seconds: int64Text((epochNs - nanos) / NANOSECONDS_PER_SECOND), nanos: Number(nanos) };
}

/** A Duration to the nanosecond, of ten thousand years at most. */
export function millisecondsMessage(milliseconds: number): Duration__Output {
  const bounded = Math.min(Math.max(milliseconds, -MAX_DURATION_MS), MAX_DURATION_MS);
  const whole = Math.trunc(bounded);
  return durationMessage(BigInt(whole) * 1_000_000n + BigInt(Math.round((bounded - whole) * 1e6)));
}

/** Nanoseconds of a duration, or of a time since 1970-01-01T00:00:00Z, without validation. */
export function nanosecondsOf({ seconds = '0', nanos = 0 }: Duration__Output | Timestamp__Output): bigint {
  return BigInt(seconds) * NANOSECONDS_PER_SECOND + BigInt(nanos);
}

/** @throws PolicyWireError for nanoseconds outside of a second */
export function readTimestamp(message: Timestamp__Output, field: string): bigint {
  const { nanos = 0 } = message;
  if (nanos >= 0 && nanos <= MAX_NANOS) return nanosecondsOf(message);
  throw new PolicyWireError(`${field}.nanos`, `is ${nanos}: write 0 to ${MAX_NANOS}`);
}

/** @throws PolicyWireError when the nanoseconds are more than a second, or have another sign than the seconds */
export function readDuration(message: Duration__Output, field: string): bigint {
  const { seconds = '0', nanos = 0 } = message;
  const isOpposed = seconds !== '0' && nanos !== 0 && seconds.startsWith('-') !== nanos < 0;
  if (!isOpposed && Math.abs(nanos) <= MAX_NANOS) return nanosecondsOf(message);
  const problem = `is ${nanos} beside ${seconds} seconds: write up to ${MAX_NANOS} with the sign of the seconds`;
  throw new PolicyWireError(`${field}.nanos`, problem);
}

/** @throws PolicyWireError as readDuration does */
export function readMilliseconds(message: Duration__Output, field: string): number {
  const nanoseconds = readDuration(message, field);
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6;
}

/** Nanoseconds since the last whole second, also of a time before 1970. */
function nanosOf(epochNs: bigint): bigint {
  return ((epochNs % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND;
}

function int64Text(value: bigint): string {
  const limit = 2n ** 63n;
  if (value >= limit) return String(limit - 1n);
  return String(value < -limit ? -limit : value);
}

/** The years that RFC 3339 can write, 0000 to 9999. */
const FIRST_SECOND = -62_167_219_200n;
const LAST_SECOND = 253_402_300_799n;

/**
 * A duration as configuration writes and reads it.
 *
 * @throws PolicyWireError for more than about 292 years, which a message can say and configuration cannot
 */
export function configDurationText(nanoseconds: bigint, field: string): string {
  const text = durationText(nanoseconds);
  if (nanoseconds <= LONGEST_DURATION_NS && nanoseconds >= -LONGEST_DURATION_NS) return text;
  throw new PolicyWireError(field, `is ${text}: write at most ${durationText(LONGEST_DURATION_NS)}`);
}

/** A duration, `1.5s`: in seconds, with as many digits as it takes. */
export function durationText(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? '-' : '';
  return `${sign}${size / NANOSECONDS_PER_SECOND}${fractionText(size % NANOSECONDS_PER_SECOND)}s`;
}

/**
 * A time as configuration writes it, in RFC 3339 and UTC: exact to the nanosecond.
 *
 * @throws PolicyWireError for a time before year 0 or after year 9999, which cannot be written
 */
export function timestampText(epochNs: bigint, field: string): string {
  const nanos = nanosOf(epochNs);
  const seconds = (epochNs - nanos) / NANOSECONDS_PER_SECOND;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    throw new PolicyWireError(`${field}.seconds`, `is ${seconds}: write a time in the years 0 to 9999`);
  }
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fractionText(nanos)}Z`;
}

function fractionText(nanos: bigint): string {
  return nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}
