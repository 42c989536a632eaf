const NANOSECONDS_PER_UNIT: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const MAX_TEXT_LENGTH = 100;

/** The error of a text that is not a duration. Its message shows the valid forms. */
export class DurationSyntaxError extends Error {
  readonly code = 'INVALID_DURATION';

  constructor(text: string) {
    const shown = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
    super(`${JSON.stringify(shown)} is not a duration: write numbers with units, such as 300ms, 1.5s, 10m or 1h30m`);
    this.name = 'DurationSyntaxError';
  }
}

/** The longest Go duration, a signed 64-bit count of nanoseconds: 2562047h47m16.854775807s. */
export const LONGEST_DURATION_NS = 9_223_372_036_854_775_807n;

/**
 * Parses a duration in Go's syntax and returns nanoseconds. The text is an optional sign, then numbers, each with an
 * optional fraction and a unit (`h`, `m`, `s`, `ms`, `us`, `µs`, `ns`); `0` needs no unit. Digits below a nanosecond
 * are dropped.
 *
 * @throws DurationSyntaxError for any other text, and for more than about 292 years, which is Go's limit.
 */
export function parseDurationNs(text: string): bigint {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '' || text.length > MAX_TEXT_LENGTH) throw new DurationSyntaxError(text);
  const term = /(\d*)(?:\.(\d*))?([a-zµμ]+)/y;
  let nanoseconds = 0n;
  while (term.lastIndex < unsigned.length) {
    const match = term.exec(unsigned);
    const unit = NANOSECONDS_PER_UNIT.get(match?.[3] ?? '');
    const whole = match?.[1] ?? '';
    const fraction = match?.[2] ?? '';
    if (unit === undefined || (whole === '' && fraction === '')) throw new DurationSyntaxError(text);
    nanoseconds += BigInt(whole) * unit + (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  if (nanoseconds > LONGEST_DURATION_NS) throw new DurationSyntaxError(text);
  return negative ? -nanoseconds : nanoseconds;
}

/**
 * Like `parseDurationNs`, but returns milliseconds, with a fraction below one millisecond.
 *
 * @throws DurationSyntaxError
 */
export function parseDuration(text: string): number {
  const nanoseconds = parseDurationNs(text);
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6;
}
