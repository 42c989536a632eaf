import type { Parsed } from './parsed.js';

const NANOSECONDS_PER_UNIT: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // Both micro signs: U+00B5 and the Greek letter U+03BC.
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** The longest Go duration, a signed 64-bit count of nanoseconds: 2562047h47m16.854775807s. */
export const LONGEST_DURATION_NS = 2n ** 63n - 1n;

const SYNTAX = 'a duration such as 1h30m, 1.5s or 100ms (units h, m, s, ms, us, ns)';
const RANGE = 'a duration of at most 2562047h47m16.854775807s either way';

const TERM = /(\d+)?(?:\.(\d*))?([a-zµμ]+)/y;

/**
 * Reads Go duration syntax: an optional sign, then one or more decimal numbers with a unit (`1h30m`, `1.5s`, `-100ms`), or a
 * bare `0`.
 *
 * @returns nanoseconds; digits below one nanosecond are cut off, as Go does
 */
export function parseDuration(text: string): Parsed<bigint> {
  const sign = text.startsWith('-') ? -1n : 1n;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') {
    return { ok: true, value: 0n };
  }
  if (body === '' || body.length > 1024) {
    return { ok: false, allowed: SYNTAX };
  }

  let total = 0n;
  let position = 0;
  while (position < body.length) {
    TERM.lastIndex = position;
    const term = TERM.exec(body);
    const nanoseconds = term === null ? undefined : termNanoseconds(term[1], term[2], term[3] ?? '');
    if (nanoseconds === undefined) {
      return { ok: false, allowed: SYNTAX };
    }
    total += nanoseconds;
    position = TERM.lastIndex;
  }
  return total > LONGEST_DURATION_NS ? { ok: false, allowed: RANGE } : { ok: true, value: sign * total };
}

/** Undefined for an unknown unit or a number without digits, such as `.s`. */
function termNanoseconds(whole: string | undefined, fraction: string | undefined, unit: string): bigint | undefined {
  const scale = Object.hasOwn(NANOSECONDS_PER_UNIT, unit) ? NANOSECONDS_PER_UNIT[unit] : undefined;
  if (scale === undefined || (whole === undefined && !fraction)) {
    return undefined;
  }
  const digits = fraction ?? '';
  const fractionNs = digits === '' ? 0n : (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
  return BigInt(whole ?? '0') * scale + fractionNs;
}
