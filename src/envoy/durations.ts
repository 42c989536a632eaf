import type { Duration } from '../generated/google/protobuf/Duration.js';

const NANOS_PER_MS = 1_000_000;

/**
 * A protobuf duration.
 *
 * @param ms milliseconds, fractions allowed; 0 is an explicit zero, which Envoy often reads as "no limit"
 */
export function duration(ms: number): Duration {
  const seconds = Math.trunc(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * NANOS_PER_MS);
  return nanos === 0 ? { seconds } : { seconds, nanos };
}
