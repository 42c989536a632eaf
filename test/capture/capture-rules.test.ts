import test from 'ava';
import type { CapturedTraffic } from '../../src/capture/capture-rules.js';
import { captureRules } from '../../src/capture/capture-rules.js';
import { parseAddressRanges, parsePorts } from '../../src/config/injection/captured-traffic.js';
import fc from '../support/property-testing.js';

const EVERYTHING: CapturedTraffic = {
  includeInboundPorts: '*',
  excludeInboundPorts: [],
  includeOutboundIpRanges: '*',
  excludeOutboundIpRanges: [],
  excludeOutboundPorts: [],
  inboundPort: 15006,
  outboundPort: 15001,
  captureDns: false,
  dnsPort: 15013,
  proxyUid: 1337,
};

/** Rules of one chain, without its name. */
function chain(name: string, rules: string): readonly string[] {
  const start = `-A ${name} `;
  return rules
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length));
}

test('all traffic is captured except loopback and the traffic of the proxy itself', (t) => {
  const rules = captureRules('ipv4', EVERYTHING);
  t.deepEqual(chain('PREROUTING', rules), ['-p tcp -j MESH_INBOUND']);
  t.deepEqual(chain('OUTPUT', rules), ['-p tcp -j MESH_OUTPUT']);
  t.deepEqual(chain('MESH_INBOUND', rules), ['-p tcp -j MESH_IN_REDIRECT']);
  t.deepEqual(chain('MESH_IN_REDIRECT', rules), ['-p tcp -j REDIRECT --to-ports 15006']);
  t.deepEqual(chain('MESH_REDIRECT', rules), ['-p tcp -j REDIRECT --to-ports 15001']);
  t.deepEqual(chain('MESH_OUTPUT', rules), [
    '-s 127.0.0.6/32 -o lo -j RETURN',
    '! -d 127.0.0.0/8 -o lo -p tcp -m owner --uid-owner 1337 -j MESH_IN_REDIRECT',
    '-o lo -j RETURN',
    '-m owner --uid-owner 1337 -j RETURN',
    '-d 127.0.0.0/8 -j RETURN',
    '-j MESH_REDIRECT',
  ]);
});

test('DNS packets are captured if that is wanted, except those of the proxy itself', (t) => {
  const rules = captureRules('ipv4', { ...EVERYTHING, captureDns: true });
  t.deepEqual(chain('OUTPUT', rules), ['-p tcp -j MESH_OUTPUT', '-p udp -m udp --dport 53 -j MESH_DNS']);
  t.deepEqual(chain('MESH_DNS', rules), ['-m owner --uid-owner 1337 -j RETURN', '-p udp -j REDIRECT --to-ports 15013']);
  t.false(captureRules('ipv4', EVERYTHING).includes('MESH_DNS'));
});

test('IPv6 has the same rules with its own addresses', (t) => {
  const ipv4 = captureRules('ipv4', EVERYTHING);
  const ipv6 = captureRules('ipv6', EVERYTHING);
  t.is(ipv6, ipv4.replaceAll('127.0.0.6/32', '::6/128').replaceAll('127.0.0.0/8', '::1/128'));
});

test('excluded ports return before the redirecting rules', (t) => {
  const rules = captureRules('ipv4', {
    ...EVERYTHING,
    excludeInboundPorts: parsePorts('15021,22'),
    excludeOutboundPorts: parsePorts('3306'),
  });
  t.deepEqual(chain('MESH_INBOUND', rules), [
    '-p tcp --dport 15021 -j RETURN',
    '-p tcp --dport 22 -j RETURN',
    '-p tcp -j MESH_IN_REDIRECT',
  ]);
  t.deepEqual(chain('MESH_OUTPUT', rules).slice(-2), ['-p tcp --dport 3306 -j RETURN', '-j MESH_REDIRECT']);
});

test('only included ports go through the proxy; without included ports, none', (t) => {
  const some = captureRules('ipv4', { ...EVERYTHING, includeInboundPorts: [80, 443] });
  t.deepEqual(chain('MESH_INBOUND', some), [
    '-p tcp --dport 80 -j MESH_IN_REDIRECT',
    '-p tcp --dport 443 -j MESH_IN_REDIRECT',
  ]);
  const none = captureRules('ipv4', { ...EVERYTHING, includeInboundPorts: [] });
  t.deepEqual(chain('MESH_INBOUND', none), []);
  t.false(chain('MESH_OUTPUT', none).some((rule) => rule.endsWith('MESH_IN_REDIRECT')));
});

test('each address family gets its own ranges', (t) => {
  const traffic: CapturedTraffic = {
    ...EVERYTHING,
    includeOutboundIpRanges: parseAddressRanges('10.0.0.0/8,fd00::/8'),
    excludeOutboundIpRanges: parseAddressRanges('10.9.0.0/16,fd00:9::/32'),
  };
  t.deepEqual(chain('MESH_OUTPUT', captureRules('ipv4', traffic)).slice(-2), [
    '-d 10.9.0.0/16 -j RETURN',
    '-d 10.0.0.0/8 -j MESH_REDIRECT',
  ]);
  t.deepEqual(chain('MESH_OUTPUT', captureRules('ipv6', traffic)).slice(-2), [
    '-d fd00:9::/32 -j RETURN',
    '-d fd00::/8 -j MESH_REDIRECT',
  ]);
});

test('jumps to the chains are set once, however often the rules are set', (t) => {
  const present = '*nat\n-A PREROUTING -p tcp -j MESH_INBOUND\n-A OUTPUT -p tcp -j MESH_OUTPUT\nCOMMIT\n';
  const rules = captureRules('ipv4', EVERYTHING, present);
  t.deepEqual(chain('PREROUTING', rules), []);
  t.deepEqual(chain('OUTPUT', rules), []);
});

test('traffic of the proxy is never redirected to itself', (t) => {
  const port = fc.integer({ min: 1, max: 65535 });
  const property = fc.property(fc.array(port), fc.array(port), fc.array(port), (included, excluded, outbound) => {
    const traffic = {
      ...EVERYTHING,
      includeInboundPorts: included,
      excludeInboundPorts: excluded,
      excludeOutboundPorts: outbound,
    };
    const rules = chain('MESH_OUTPUT', captureRules('ipv4', traffic));
    const passes = rules.indexOf('-m owner --uid-owner 1337 -j RETURN');
    const redirects = rules.findIndex((rule) => rule.endsWith('-j MESH_REDIRECT'));
    t.true(passes !== -1 && (redirects === -1 || passes < redirects));
    t.is(rules[0], '-s 127.0.0.6/32 -o lo -j RETURN');
  });
  t.notThrows(() => fc.assert(property));
});
