import test from 'ava';
import { childrenOf, contentOf, DerError, readDer } from '../../../src/ca/x509/der-reader.js';
import { DER_TAG, der, oid, sequence, unsignedInteger } from '../../../src/ca/x509/der-writer.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

for (const [what, octets, message] of [
  ['a tag of several octets', '1f 81 01 00', 'tags of several octets are not read'],
  ['a tag without a length', '30', 'an element ends after its tag'],
  ['an indefinite length', '30 80 00 00', 'a length is indefinite'],
  ['a length that ends early', '30 82 01', 'a length is too long'],
  ['a length of four octets', '30 84 00 00 00 01 00', 'a length is too long'],
  ['a length in the long form that fits the short one', '04 81 01 00', 'a length has more octets than needed'],
  ['a length with a leading zero', `04 82 00 80 ${'00'.repeat(128)}`, 'a length has more octets than needed'],
  ['less content than its length', '04 03 00 00', 'an element is longer than what holds it'],
] as const) {
  test(`${what} is not DER`, (t) => {
    t.throws(() => readDer(hex(octets)), { instanceOf: DerError, message });
  });
}

test('an element keeps the octets that it was read from, whatever its length', (t) => {
  for (const length of [0, 127, 128, 255, 256, 65_535, 65_536]) {
    const written = der(DER_TAG.octetString, Buffer.alloc(length, 7));
    const [element, ...others] = readDer(written);
    t.is(others.length, 0);
    t.deepEqual(element?.raw, written);
    t.is(contentOf(element, DER_TAG.octetString).length, length);
  }
});

test('an element with another tag, or a missing one, is an error', (t) => {
  const [element] = readDer(sequence(oid('1.2.3')));
  t.throws(() => contentOf(element, DER_TAG.set), {
    instanceOf: DerError,
    message: 'an element has tag 48 instead of 49',
  });
  t.throws(() => childrenOf(undefined, DER_TAG.set), {
    instanceOf: DerError,
    message: 'an element with tag 49 is missing',
  });
});

test('integers and object identifiers are written in the form of X.690', (t) => {
  t.deepEqual(unsignedInteger(hex('00 00')), hex('02 01 00'));
  t.deepEqual(unsignedInteger(hex('00 7f')), hex('02 01 7f'));
  t.deepEqual(unsignedInteger(hex('80 01')), hex('02 03 00 80 01'));
  t.deepEqual(oid('1.2.840.113549.1.1.11'), hex('06 09 2a 86 48 86 f7 0d 01 01 0b'));
  t.deepEqual(oid('2.5.29.17'), hex('06 03 55 1d 11'));
});
