import type { OtlpAttribute, OtlpValue } from '../../../../otlp/otlp-request.js';
import type { AttributeValue } from '../../../client/attribute-value.js';
import { plainValue } from '../../value-text.js';

/** Characters of a text. A record has at most 256 values. */
const MAX_TEXT = 4096;

export function otlpValue(value: AttributeValue): OtlpValue {
  switch (value.type) {
    case 'int64':
      return { intValue: String(value.value) };
    case 'double':
      // JSON has no other numbers.
      return Number.isFinite(value.value) ? { doubleValue: value.value } : textValue(String(value.value));
    case 'bool':
      return { boolValue: value.value };
    case 'stringMap':
      return { kvlistValue: { values: Array.from(value.value, ([key, text]) => ({ key, value: textValue(text) })) } };
    default:
      return textValue(String(plainValue(value)));
  }
}

export function textValue(text: string): OtlpValue {
  return { stringValue: text.slice(0, MAX_TEXT) };
}

export function otlpAttributes(values: ReadonlyMap<string, AttributeValue> = new Map()): OtlpAttribute[] {
  return Array.from(values, ([key, value]) => ({ key, value: otlpValue(value) }));
}

/** Nanoseconds since the epoch; undefined for other values, and for times before it. */
export function unixNanos(value: AttributeValue | undefined): string | undefined {
  return value?.type === 'timestamp' && value.value >= 0n ? String(value.value) : undefined;
}
