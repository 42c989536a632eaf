import { ipAddressText } from '../../../base/ip-address.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { durationText, timestampText } from '../../wire/wire-time.js';
import { createRedaction, type Redaction } from './redact-credentials.js';

/** A value as JSON has it. */
export type ReportValue = string | number | boolean | Readonly<Record<string, string>>;

/**
 * A report as one object with the attributes' names as keys, sorted: whole numbers as numbers where JSON keeps their
 * digits and as texts otherwise, addresses as texts, other bytes in base64, times in RFC 3339, durations as `1.5s`.
 * Credentials are shown as short hashes.
 */
export function reportJson(bag: AttributeBag): Readonly<Record<string, ReportValue>> {
  const redaction = createRedaction(bag);
  const entries = [...bag.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, jsonOf(name, value, redaction)]));
}

function jsonOf(name: string, attribute: AttributeValue, redaction: Redaction): ReportValue {
  switch (attribute.type) {
    case 'string':
      return redaction.text(name, attribute.value);
    case 'int64': {
      const number = Number(attribute.value);
      return Number.isSafeInteger(number) ? number : String(attribute.value);
    }
    case 'double':
      // JSON has no number for these.
      return Number.isFinite(attribute.value) ? attribute.value : String(attribute.value);
    case 'bool':
      return attribute.value;
    case 'bytes':
      return (name.endsWith('.ip') ? ipAddressText(attribute.value) : undefined) ?? base64(attribute.value);
    case 'timestamp':
      return timeText(attribute.value);
    case 'duration':
      return durationText(attribute.value);
    case 'stringMap':
      return Object.fromEntries([...attribute.value].map(([key, value]) => [key, redaction.entry(name, key, value)]));
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** RFC 3339 has four digits for the year. A later time is written as its number of nanoseconds. */
function timeText(epochNs: bigint): string {
  try {
    return timestampText(epochNs, 'time');
  } catch {
    return String(epochNs);
  }
}
