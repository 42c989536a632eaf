import test from 'ava';
import type { CapturedTraffic } from '../../src/capture/capture-rules.js';
import { CaptureError, captureTraffic } from '../../src/capture/capture-traffic.js';
import type { Ipv6State } from '../../src/capture/ipv6-state.js';
import type { RunProgram } from '../../src/capture/run-program.js';

const TRAFFIC: CapturedTraffic = {
  includeInboundPorts: '*',
  excludeInboundPorts: [15021],
  includeOutboundIpRanges: '*',
  excludeOutboundIpRanges: [],
  excludeOutboundPorts: [],
  inboundPort: 15006,
  outboundPort: 15001,
  captureDns: false,
  dnsPort: 15013,
  proxyUid: 1337,
};

/** Programs that exist and work; all others cannot be found. */
async function capture(working: readonly string[], ipv6: Ipv6State) {
  const calls: string[] = [];
  const lines: string[] = [];
  const run: RunProgram = async (command) => {
    calls.push(command.join(' '));
    const [program = ''] = command;
    const ok = working.includes(program);
    return { ok, output: '', complaint: ok ? '' : `${program}: not found` };
  };
  await captureTraffic(TRAFFIC, { run, ipv6, report: (line) => lines.push(line) });
  return { calls, lines };
}

const variant = (program: string, suffix: string): readonly string[] =>
  ['save', 'restore'].map((verb) => `${program}${suffix}-${verb}`);
const NFT = [...variant('iptables', '-nft'), ...variant('ip6tables', '-nft'), 'ip'];

test('rules are read, then restored, and the missing IPv6 address is added', async (t) => {
  const { calls, lines } = await capture(NFT, 'global');
  t.deepEqual(calls, [
    'iptables-nft-save -t nat',
    'iptables-nft-restore --noflush --wait 10',
    'ip6tables-nft-save -t nat',
    'ip6tables-nft-restore --noflush --wait 10',
    'ip -6 address replace ::6/128 dev lo',
  ]);
  t.deepEqual(lines, [
    'IPv4: rules are set with iptables-nft-restore',
    'IPv6: rules are set with ip6tables-nft-restore',
  ]);
});

test('the other forms of iptables are tried if one fails', async (t) => {
  const legacy = await capture(variant('iptables', '-legacy'), 'off');
  t.is(legacy.lines[0], 'IPv4: rules are set with iptables-legacy-restore');
  const plain = await capture(variant('iptables', ''), 'off');
  t.is(plain.lines[0], 'IPv4: rules are set with iptables-restore');
  const unreadable = await capture(['iptables-nft-save', ...variant('iptables', '-legacy')], 'off');
  t.is(unreadable.lines[0], 'IPv4: rules are set with iptables-legacy-restore');
});

test('without iptables the pod does not start, and the error says why', async (t) => {
  const error = await t.throwsAsync(capture([], 'off'), { instanceOf: CaptureError });
  t.regex(error?.message ?? '', /iptables-nft-save: not found \| iptables-legacy-save: not found/);
  t.regex(error?.message ?? '', /NET_ADMIN/);
});

test('global IPv6 traffic must be captured', async (t) => {
  await t.throwsAsync(capture(variant('iptables', '-nft'), 'global'), { instanceOf: CaptureError });
  const withoutAddress = NFT.filter((program) => program !== 'ip');
  await t.throwsAsync(capture(withoutAddress, 'global'), { message: /address ::6 cannot be added/ });
});

test('IPv6 without global addresses may stay uncaptured', async (t) => {
  const { lines } = await capture(variant('iptables', '-nft'), 'local');
  t.regex(lines[1] ?? '', /^IPv6: not captured, but there are only addresses of this machine: /);
});
