import { parseDurationNs } from '../../config/parse-duration.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const MAX_WHOLE_SECONDS = 24n * 60n * 60n;

/**
 * Reads a duration of the client's configuration (BEHAVIOUR 6, "Retry"): whole seconds are capped at 24 hours; missing,
 * zero and negative ones mean the default.
 *
 * @param text such as `1.5s`
 * @returns milliseconds
 * @throws DurationSyntaxError
 */
export function clientDurationMs(text: string | undefined, defaultMs: number): number {
  const nanoseconds = text === undefined ? 0n : parseDurationNs(text);
  if (nanoseconds <= 0n) return defaultMs;
  const seconds = nanoseconds / NANOSECONDS_PER_SECOND;
  const capped = seconds < MAX_WHOLE_SECONDS ? seconds : MAX_WHOLE_SECONDS;
  return Number(capped) * 1000 + Number(nanoseconds % NANOSECONDS_PER_SECOND) / 1e6;
}
