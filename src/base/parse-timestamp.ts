const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** Reads a time of RFC 3339 as nanoseconds since 1970-01-01T00:00:00Z; undefined for any other text. */
export function parseTimestampNs(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', sign = '+', hours = '0', minutes = '0'] = match;
  const utcMs = Date.parse(`${date}T${time}Z`);
  // Date.parse moves 31 February into March; only a date that comes back unchanged exists.
  if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, 10) !== date) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return BigInt(utcMs - offsetMs) * NANOSECONDS_PER_MILLISECOND + BigInt(fraction.padEnd(9, '0'));
}
