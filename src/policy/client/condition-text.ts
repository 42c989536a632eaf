import { ipAddressText } from '../../base/ip-address.js';
import { type Dimension, parseDimension } from '../../config/policy-server/dimension.js';
import type { AttributeBag } from './attribute-bag.js';

/** What a condition is about: an attribute, or with a key an entry of a map. */
export type ConditionSubject = Pick<Dimension, 'attribute' | 'mapKey'>;

/** Reads the key of a clause: `request.path`, `request.headers[x-user]`. Any other text is the name of an attribute. */
export function readSubject(written: string): ConditionSubject {
  return parseDimension(written) ?? { attribute: written };
}

/**
 * The text that a condition is held against: that of a text, of an entry of a map, or of an IP address. Undefined where
 * the request has none; numbers, times, and maps as a whole, have none (SPEC 2.4: a condition matches a string). Makes
 * nothing for texts, which nearly all conditions are about.
 */
export function conditionText({ attribute, mapKey }: ConditionSubject, bag: AttributeBag): string | undefined {
  const value = bag.get(attribute);
  if (value === undefined) return undefined;
  if (mapKey !== undefined) return value.type === 'stringMap' ? value.value.get(mapKey) : undefined;
  switch (value.type) {
    case 'string':
      return value.value;
    case 'bytes':
      return ipAddressText(value.value);
    case 'int64':
    case 'double':
    case 'bool':
    case 'timestamp':
    case 'duration':
    case 'stringMap':
      return undefined;
  }
}
