import { PolicyWireError } from './policy-wire-error.js';
import { NANOSECONDS_PER_SECOND, nanosOf } from './wire-time.js';

/** The years that RFC 3339 can write, 0000 to 9999. */
const FIRST_SECOND = -62_167_219_200n;
const LAST_SECOND = 253_402_300_799n;

/** A duration as configuration writes it, `1.5s`: in seconds, with as many digits as it takes. */
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
