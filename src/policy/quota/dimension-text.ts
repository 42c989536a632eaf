import { createHash } from 'node:crypto';
import { ipAddressText } from '../../base/ip-address.js';
import type { Dimension } from '../../config/policy-server/dimension.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';

const LONGEST = 256;

/**
 * The text, or the SHA-256 of a long one, so that keys from callers need bounded memory. No text may begin with `#`.
 */
export function boundedText(text: string): string {
  return text.length <= LONGEST ? text : `#${digest(text)}`;
}

/** Hashes the UTF-16 code units: a lone surrogate, which UTF-8 has no form of, stays different from every other. */
export function digest(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64url');
}

/** The text with its length in front, so that two different lists of texts never join to the same text. */
export function sized(text: string): string {
  return `${text.length}:${text}`;
}

/**
 * The text of a request in a dimension: numbers in decimal, `true` and `false`, bytes as an IP address if possible and
 * otherwise in hexadecimal, times in nanoseconds. Undefined when the request has no such attribute or map entry.
 */
export function dimensionText({ attribute, mapKey }: Dimension, bag: AttributeBag): string | undefined {
  const value = bag.get(attribute);
  if (value === undefined) return undefined;
  if (mapKey === undefined) return valueText(value);
  return value.type === 'stringMap' ? value.value.get(mapKey) : undefined;
}

function valueText(value: AttributeValue): string {
  switch (value.type) {
    case 'string':
      return value.value;
    case 'bytes':
      return bytesText(value.value);
    case 'stringMap':
      return JSON.stringify([...value.value].sort(([a], [b]) => (a < b ? -1 : 1)));
    case 'int64':
    case 'double':
    case 'bool':
    case 'timestamp':
    case 'duration':
      return String(value.value);
  }
}

function bytesText(bytes: Uint8Array): string {
  return ipAddressText(bytes) ?? Buffer.from(bytes).toString('hex');
}
