import test from 'ava';
import { parseIpv6State, readIpv6State } from '../../src/capture/ipv6-state.js';

const LOOPBACK = '00000000000000000000000000000001 01 80 10 80       lo\n';
const LINK_LOCAL = 'fe80000000000000aabbccfffeddeeff 02 40 20 80     eth0\n';
const GLOBAL = 'fd000000000000000000000000000005 02 40 00 80     eth0\n';
/** The address that we add ourselves has scope global, and leads nowhere. */
const OUR_OWN = '00000000000000000000000000000006 01 80 00 80       lo\n';

test('a network without an IPv6 address has IPv6 off', (t) => {
  t.is(parseIpv6State(''), 'off');
});

test('addresses of this machine only are local; one global address makes the state global', (t) => {
  t.is(parseIpv6State(LOOPBACK), 'local');
  t.is(parseIpv6State(LOOPBACK + LINK_LOCAL + OUR_OWN), 'local');
  t.is(parseIpv6State(LOOPBACK + LINK_LOCAL + GLOBAL), 'global');
});

test('a kernel without IPv6 has no if_inet6 file', async (t) => {
  t.is(await readIpv6State('/nowhere/if_inet6'), 'off');
});
