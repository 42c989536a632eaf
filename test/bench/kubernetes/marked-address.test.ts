import test from 'ava';
import { findMarkedAddresses, markedAddress } from '../../../bench/kubernetes/marked-address.js';
import fc from '../../support/property-testing.js';

const CHANGES = fc.integer({ min: 0, max: 2 ** 22 - 1 });

test('every change has an address in 100.64.0.0/10', (t) => {
  t.is(markedAddress(0), '100.64.0.0');
  t.is(markedAddress(65_535), '100.64.255.255');
  t.is(markedAddress(65_536), '100.65.0.0');
  t.is(markedAddress(2 ** 22 - 1), '100.127.255.255');
});

test('the addresses in a message tell which changes it brings', (t) => {
  fc.assert(
    fc.property(fc.array(CHANGES), (changes) => {
      const message = changes.map((change) => `\n\u0012${markedAddress(change)}\u0018`).join('10.16.0.1');
      t.deepEqual(findMarkedAddresses(Buffer.from(message)), changes);
    }),
  );
});

test('other addresses and names with the same prefix are not changes', (t) => {
  for (const text of ['100.63.0.1', '100.128.0.1', '100.64.256.1', '100.64.1', '100.64.1.', 'ns-100.svc', '100.', '']) {
    t.deepEqual(findMarkedAddresses(Buffer.from(text)), [], text);
  }
});
