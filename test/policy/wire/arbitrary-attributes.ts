import type { AttributeLayer } from '../../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import { GLOBAL_WORDS } from '../../../src/policy/wire/global-words.js';
import fc from '../../support/property-testing.js';

/** Any text of Unicode, with words of the protocol, and names that objects treat in their own way. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...GLOBAL_WORDS),
  fc.constantFrom('', '__proto__', 'constructor', 'toString', '-1', '0'),
);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** As many seconds as a message can hold, to the nanosecond. */
const nanoseconds = fc.bigInt({ min: -(2n ** 63n) * 1_000_000_000n, max: (2n ** 63n - 1n) * 1_000_000_000n });

export const anyValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  anyText.map((value): AttributeValue => ({ type: 'string', value })),
  int64.map((value): AttributeValue => ({ type: 'int64', value })),
  fc.double().map((value): AttributeValue => ({ type: 'double', value })),
  fc.boolean().map((value): AttributeValue => ({ type: 'bool', value })),
  fc.uint8Array().map((bytes): AttributeValue => ({ type: 'bytes', value: Buffer.from(bytes) })),
  nanoseconds.map((value): AttributeValue => ({ type: 'timestamp', value })),
  nanoseconds.map((value): AttributeValue => ({ type: 'duration', value })),
  fc
    .array(fc.tuple(anyText, anyText))
    .map((entries): AttributeValue => ({ type: 'stringMap', value: new Map(entries) })),
);

export const anyLayer: fc.Arbitrary<AttributeLayer> = fc
  .array(fc.tuple(anyText, anyValue), { maxLength: 12 })
  .map((entries) => new Map(entries));
