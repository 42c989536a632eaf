import test from 'ava';
import { type AddressRange, addressText, overlaps, parseAddressRange } from '../../src/base/address-range.js';

const range = (text: string): AddressRange => {
  const parsed = parseAddressRange(text);
  if (parsed === undefined) throw new Error(`${text} is no range`);
  return parsed;
};

const EDGES: readonly (readonly [text: string, first: string, last: string])[] = [
  ['10.96.0.9', '10.96.0.9', '10.96.0.9'],
  ['10.96.0.9/32', '10.96.0.9', '10.96.0.9'],
  ['10.96.7.9/20', '10.96.0.0', '10.96.15.255'],
  ['0.0.0.0/1', '0.0.0.0', '127.255.255.255'],
  ['255.1.2.3/0', '0.0.0.0', '255.255.255.255'],
  ['::ffff:10.0.0.0/104', '10.0.0.0', '10.255.255.255'],
  ['fd00::9', 'fd00::9', 'fd00::9'],
  ['fd00:1::/63', 'fd00:1::', 'fd00:1:0:1:ffff:ffff:ffff:ffff'],
];
for (const [text, first, last] of EDGES) {
  test(`${text} goes from ${first} to ${last}`, (t) => {
    const { first: from, last: to } = range(text);
    t.deepEqual([addressText(from), addressText(to)], [first, last]);
  });
}

test('what is no address or range is none', (t) => {
  for (const text of ['', 'api.example.com', '10.0.0.0x1', '10.0.0.1/33', '10.0.0.1/x', '::1/129', '10.0.0.1/-1']) {
    t.is(parseAddressRange(text), undefined, text);
  }
});

test('ranges overlap where they have an address in common, within one family', (t) => {
  t.true(overlaps(range('10.0.0.0/8'), range('10.255.255.255')));
  t.true(overlaps(range('10.1.0.0/16'), range('10.0.0.0/8')));
  t.false(overlaps(range('10.0.0.0/9'), range('10.128.0.0/9')));
  t.false(overlaps(range('0.0.0.0/0'), range('::/0')));
});
