import test from 'ava';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import {
  type AttributeValueConfig,
  AttributeValueError,
  readAttributes,
  readAttributeValue,
} from '../../../src/policy/client/attributes-from-config.js';

const READABLE: readonly (readonly [AttributeValueConfig, AttributeValue])[] = [
  [{ stringValue: '' }, { type: 'string', value: '' }],
  [{ int64Value: 7 }, { type: 'int64', value: 7n }],
  [{ int64Value: '-9223372036854775808' }, { type: 'int64', value: -(2n ** 63n) }],
  [{ doubleValue: 1.5 }, { type: 'double', value: 1.5 }],
  [{ boolValue: false }, { type: 'bool', value: false }],
  [{ bytesValue: 'CgAAAQ==' }, { type: 'bytes', value: new Uint8Array([10, 0, 0, 1]) }],
  [{ bytesValue: '_-8' }, { type: 'bytes', value: new Uint8Array([255, 239]) }],
  [{ timestampValue: '1970-01-01T00:00:01.5Z' }, { type: 'timestamp', value: 1_500_000_000n }],
  [{ timestampValue: '1970-01-01T01:00:00.000000001+01:00' }, { type: 'timestamp', value: 1n }],
  [{ timestampValue: '1969-12-31T23:59:59Z' }, { type: 'timestamp', value: -1_000_000_000n }],
  [{ durationValue: '1m30s' }, { type: 'duration', value: 90_000_000_000n }],
  [{ stringMapValue: { entries: { a: 'b' } } }, { type: 'stringMap', value: new Map([['a', 'b']]) }],
  [{ stringMapValue: {} }, { type: 'stringMap', value: new Map() }],
];

for (const [config, expected] of READABLE) {
  test(`${JSON.stringify(config)} is a ${expected.type}`, (t) => {
    t.deepEqual(readAttributeValue(config, 'spec'), expected);
  });
}

const UNREADABLE: readonly (readonly [AttributeValueConfig, string])[] = [
  [{}, 'spec sets none: set exactly one of stringValue, int64Value,'],
  [{ stringValue: 'a', boolValue: true }, 'spec sets stringValue and boolValue: set exactly one of'],
  [{ int64Value: '9223372036854775808' }, 'spec.int64Value is "9223372036854775808": write a whole number'],
  [{ int64Value: 1.5 }, 'spec.int64Value is 1.5: write a whole number'],
  [{ bytesValue: '§' }, 'spec.bytesValue is "§": write base64'],
  [
    { timestampValue: '2026-02-31T00:00:00Z' },
    'spec.timestampValue is "2026-02-31T00:00:00Z": write a time in RFC 3339',
  ],
  [{ timestampValue: '2026-01-01T25:00:00Z' }, 'write a time in RFC 3339'],
  [{ timestampValue: '2026-01-01T00:00:00+99:00' }, 'write a time in RFC 3339'],
  [{ timestampValue: 'yesterday' }, 'write a time in RFC 3339'],
  [{ durationValue: 'soon' }, 'spec.durationValue is "soon": write a duration'],
];

for (const [config, message] of UNREADABLE) {
  test(`${JSON.stringify(config)} is refused with the field, the value and the remedy`, (t) => {
    const error = t.throws(() => readAttributeValue(config, 'spec'), { instanceOf: AttributeValueError });
    t.true(error?.message.includes(message), error?.message);
  });
}

test('attributes are read by name', (t) => {
  const layer = readAttributes({ attributes: { 'api.service': { stringValue: 'petstore' } } }, 'spec.attributes');
  t.deepEqual([...layer], [['api.service', { type: 'string', value: 'petstore' }]]);
  t.is(readAttributes(undefined, 'spec.attributes').size, 0);
  t.is(readAttributes({}, 'spec.attributes').size, 0);
});

test('an unreadable attribute is named by its path', (t) => {
  const error = t.throws(() => readAttributes({ attributes: { 'a.b': {} } }, 'spec.attributes'));
  t.true(error?.message.startsWith('spec.attributes.attributes["a.b"] sets none'), error?.message);
});
