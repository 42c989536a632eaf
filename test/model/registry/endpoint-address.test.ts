import test from 'ava';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isIpAddress } from '../../../src/model/registry/endpoint-address.js';

const OCTET = fc.constantFrom('0', '9', '10', '99', '100', '199', '249', '255', '256', '300', '01', '00', '', 'x');

test('an address is one exactly when the library that reads addresses knows it', (t) => {
  fc.assert(
    fc.property(fc.array(OCTET, { minLength: 1, maxLength: 5 }), (octets) => {
      const address = octets.join('.');
      t.is(isIpAddress(address), ipaddr.isValid(address), address);
    }),
  );
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => t.true(isIpAddress(address), address)));
  for (const text of ['10.1.2.3.', '.10.1.2.3', '10.1.2.3\n', 'web.shop.svc', '']) t.false(isIpAddress(text), text);
});
