import test from 'ava';
import { parseNetwork } from '../../src/base/address-range.js';
import {
  canonicalIpAddress,
  ipAddressBytes,
  ipAddressText,
  ipFamilyOf,
  isCidr,
  isIpAddress,
  normalizeIpv6,
} from '../../src/base/ip-address.js';
import fc from '../support/property-testing.js';

const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

test('bytes become a text, and the text becomes the same bytes', (t) => {
  fc.assert(
    fc.property(fc.oneof(octets(4), octets(16)), (bytes) => {
      const text = ipAddressText(bytes) ?? '';
      t.true(isIpAddress(text), text);
      t.is(canonicalIpAddress(text), text);
      const isMapped =
        bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
      t.deepEqual(ipAddressBytes(text), isMapped ? bytes.slice(12) : bytes);
    }),
  );
});

test('an IPv4 address in IPv6 form is the IPv4 address', (t) => {
  t.is(canonicalIpAddress('::ffff:10.1.2.3'), '10.1.2.3');
  t.deepEqual(ipAddressBytes('::FFFF:a01:203'), Uint8Array.of(10, 1, 2, 3));
  t.is(ipAddressText(Buffer.from('00000000000000000000ffff0a010203', 'hex')), '10.1.2.3');
});

test('other numbers of bytes and other texts are no address', (t) => {
  for (const length of [0, 3, 5, 15, 17]) t.is(ipAddressText(new Uint8Array(length)), undefined);
  for (const text of ['', 'api.example.com', '/run/socket', '10.0.0.256']) t.is(ipAddressBytes(text), undefined, text);
});

test('the family of an address is known, also when it has a zone', (t) => {
  t.is(ipFamilyOf('10.0.0.1'), 4);
  t.is(ipFamilyOf('fe80::1%eth0'), 6);
  for (const text of ['', '10.1', '010.0.0.1', 'localhost', 'None']) t.is(ipFamilyOf(text), undefined, text);
});

test('every spelling of an IPv6 address becomes one, and other text stays', (t) => {
  for (const text of ['FD00::A', 'fd00:0:0:0:0:0:0:a', 'fd00::000a']) t.is(normalizeIpv6(text), 'fd00::a');
  for (const text of ['10.0.0.1', 'api.example.com', '::x']) t.is(normalizeIpv6(text), text);
});

test('a network has its first address and its prefix length', (t) => {
  t.deepEqual(parseNetwork('10.1.2.3/8'), { family: 4, address: '10.0.0.0', bits: 8 });
  t.deepEqual(parseNetwork('10.1.2.3'), { family: 4, address: '10.1.2.3', bits: 32 });
  t.deepEqual(parseNetwork('FD00:0::9/16'), { family: 6, address: 'fd00::', bits: 16 });
  t.deepEqual(parseNetwork('FD00::9'), { family: 6, address: 'fd00::9', bits: 128 });
  for (const text of ['', '10.0.0.0/33', '10.0.0.0/08', 'a/8']) t.is(parseNetwork(text), undefined, text);
});

for (const [text, isAddress, isRange] of [
  ['10.0.0.1', true, false],
  ['fd00::1', true, false],
  ['10.0.0.0/8', false, true],
  ['fd00::/129', false, false],
  ['01.2.3.4', false, false],
  ['fe80::1%eth0', false, false],
] as const) {
  test(`${text} is ${isAddress ? '' : 'not '}an address and ${isRange ? '' : 'not '}a range`, (t) => {
    t.is(isIpAddress(text), isAddress);
    t.is(isCidr(text), isRange);
  });
}
