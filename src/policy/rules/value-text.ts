import { ipAddressText } from '../../base/ip-address.js';
import type { AttributeValue } from '../client/attribute-value.js';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const NANOSECONDS_PER_SECOND = 1e9;
/** Milliseconds that a Date can have. */
const MAX_DATE_MS = 8.64e15;

/** A value as a text, for lists, counters and logs; empty for an absent value. */
export function valueText(value: AttributeValue | undefined): string {
  const plain = plainValue(value);
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain);
}

/** A value as JSON has it: addresses as text, times in ISO 8601, durations as `1.5s`. */
export function plainValue(
  value: AttributeValue | undefined,
): string | number | boolean | Readonly<Record<string, string>> {
  if (value === undefined) return '';
  switch (value.type) {
    case 'int64':
      return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : String(value.value);
    case 'bytes':
      return ipAddressText(value.value) ?? Buffer.from(value.value).toString('hex');
    case 'timestamp': {
      const ms = Number(value.value / NANOSECONDS_PER_MILLISECOND);
      return Math.abs(ms) > MAX_DATE_MS ? String(value.value) : new Date(ms).toISOString();
    }
    case 'duration':
      return `${Number(value.value) / NANOSECONDS_PER_SECOND}s`;
    case 'stringMap':
      return Object.fromEntries(value.value);
    default:
      return value.value;
  }
}
