import test from 'ava';
import { createEgressRules } from '../../../src/net/egress/egress-rules.js';
import fc from '../../support/property-testing.js';

const rules = createEgressRules();

for (const [address, why] of [
  ['127.0.0.1', 'is an address of this machine'],
  ['127.8.9.10', 'is an address of this machine'],
  ['0.0.0.0', 'is an address of this machine'],
  ['0.1.2.3', 'is an address of this machine'],
  ['::', 'is an address of this machine'],
  ['::1', 'is an address of this machine'],
  ['169.254.169.254', 'is link-local'],
  ['169.254.0.1', 'is link-local'],
  ['fe80::1', 'is link-local'],
  ['fd00:ec2::254', 'is a metadata service'],
  ['fd20:ce::254', 'is a metadata service'],
  ['100.100.100.200', 'is a metadata service'],
  ['168.63.129.16', 'is a metadata service'],
  ['::ffff:127.0.0.1', 'is an address of this machine'],
  ['::ffff:a9fe:a9fe', 'is link-local'],
  ['::7f00:1', 'is an address of this machine'],
  ['64:ff9b::169.254.169.254', 'is link-local'],
  ['2002:7f00:1::', 'is an address of this machine'],
  ['2001:0:1::', 'is a tunnel address'],
  ['224.0.0.1', 'is a multicast address'],
  ['ff02::1', 'is a multicast address'],
  ['255.255.255.255', 'is a broadcast address'],
  ['fe80::1%eth0', 'is not an address of another machine'],
  ['localhost', 'is not an address of another machine'],
  ['', 'is not an address of another machine'],
] as const) {
  test(`${address === '' ? 'nothing' : address} ${why}`, (t) => {
    t.is(rules.refusalOf(address), `${address} ${why}`);
  });
}

for (const address of [
  '93.184.216.34',
  '10.96.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '2606:2800::1',
  'fd12::1',
  '100.64.0.1',
]) {
  test(`${address} may be fetched from`, (t) => {
    t.is(rules.refusalOf(address), undefined);
  });
}

test('an exception allows exactly its address or CIDR range', (t) => {
  const allowing = createEgressRules(['127.0.0.1', '169.254.10.0/24', '::1']);
  for (const address of ['127.0.0.1', '169.254.10.9', '::1', '::ffff:127.0.0.1']) {
    t.is(allowing.refusalOf(address), undefined, address);
  }
  for (const address of ['127.0.0.2', '169.254.169.254', 'fe80::1', '::ffff:127.0.0.2']) {
    t.not(allowing.refusalOf(address), undefined, address);
  }
});

test('an exception that is not an address is an error that names it', (t) => {
  for (const text of ['localhost', '10.0.0.0/33', '', '/8']) {
    t.throws(() => createEgressRules([text]), {
      message: `${JSON.stringify(text)} is neither an IP address nor a CIDR`,
    });
  }
});

test('a loopback or link-local IPv4 address is refused in every IPv6 form', (t) => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      fc.constantFrom('127.0', '169.254'),
      byte,
      byte,
      fc.constantFrom('::ffff:', '64:ff9b::', '::ffff:0:'),
      (net, c, d, prefix) => {
        t.not(rules.refusalOf(`${prefix}${net}.${c}.${d}`), undefined);
      },
    ),
    { numRuns: 10_000 },
  );
});
