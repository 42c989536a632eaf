import test from 'ava';
import { validateAttributes } from '../../../src/config/policy/attribute-rules.js';
import { attributesSchema } from '../../../src/config/policy/attributes.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import fc from '../../support/property-testing.js';
import { createTestSchemaCompiler } from '../../support/schema-compiler.js';

const reader = createTestSchemaCompiler().compile(attributesSchema, 'reported');

/** The attributes that the client library gets; undefined if they are refused. */
function validated(attributes: object) {
  const result = reader.read({ attributes });
  if (result.type === 'invalid' || result.unknownFields.length > 0) return undefined;
  return [...validateAttributes(result.value, 'a')].length === 0 ? result.value : undefined;
}

const digits = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
const time = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }).map((year) => String(year).padStart(4, '0')),
    digits(0, 13),
    digits(0, 32),
    digits(0, 25),
    digits(0, 61),
    digits(0, 61),
    fc.constantFrom('', '.5', '.123456789'),
    fc.oneof(
      fc.constantFrom('Z', 'z'),
      fc.tuple(fc.constantFrom('+', '-'), digits(0, 25), digits(0, 61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  )
  .map(([year, month, day, h, m, s, fraction, zone]) => `${year}-${month}-${day}T${h}:${m}:${s}${fraction}${zone}`);
const duration = fc
  .array(
    fc.tuple(fc.constantFrom('0', '1', '1.5', '.5', '9'.repeat(9)), fc.constantFrom('h', 'm', 's', 'ms', 'ns', '')),
  )
  .map((terms) => terms.flat().join(''));
const base64 = fc.string({ unit: fc.constantFrom('A', 'z', '9', '+', '/', '-', '_', '='), maxLength: 9 });
const whole = fc.oneof(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String), fc.integer(), fc.double());
const value = fc.oneof(
  fc.record({ stringValue: fc.string() }),
  fc.record({ int64Value: whole }),
  fc.record({ doubleValue: fc.double() }),
  fc.record({ boolValue: fc.boolean() }),
  fc.record({ bytesValue: base64 }),
  fc.record({ timestampValue: time }),
  fc.record({ durationValue: duration }),
  fc.record({ stringMapValue: fc.record({ entries: fc.dictionary(fc.string(), fc.string()) }) }),
);

test('the client library reads every valid value, with the type of its member', (t) => {
  let taken = 0;
  fc.assert(
    fc.property(value, (given) => {
      const attributes = validated({ name: given });
      if (attributes === undefined) return;
      taken++;
      const [member = ''] = Object.keys(given);
      t.is(String(readAttributes(attributes, 'a').get('name')?.type), member.replace(/Value$/, ''));
    }),
    { numRuns: 3000 },
  );
  t.true(taken > 500, `${taken} of 3000 were taken`);
});

test('an attribute called __proto__, which the API server allows, is not lost', (t) => {
  const attributes = validated(JSON.parse('{"__proto__": {"stringValue": "a"}, "constructor": {"boolValue": true}}'));
  const layer = readAttributes(attributes, 'a');
  t.deepEqual([...layer.keys()], ['__proto__', 'constructor']);
  t.is(layer.get('__proto__')?.value, 'a');
});
