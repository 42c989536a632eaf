import { ipAddressText } from '../../base/ip-address.js';
import type { Dimension } from '../../config/policy-server/dimension.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';

/**
 * The text by which a request is counted in a dimension: numbers in decimal, `true` and `false`, bytes as an IP
 * address where they can be one and else in hexadecimal, times in nanoseconds. Undefined when the request has no such
 * attribute, or no such entry of the map.
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
