import test from 'ava';
import { isCidr, isIpAddress } from '../../src/base/ip-address.js';
import {
  isDnsLabel,
  isFqdn,
  isHost,
  isHostAndPort,
  isLabelKey,
  isLabelValue,
  isObjectName,
  isUnixAddress,
} from '../../src/config/primitives.js';
import { processorMs } from '../support/processor-ms.js';

const label63 = 'a'.repeat(63);

const table: readonly {
  readonly rule: (text: string) => boolean;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}[] = [
  { rule: isDnsLabel, yes: ['a', 'A-1', '0', label63], no: ['', '-a', 'a-', 'a.b', 'a_b', `${label63}a`] },
  { rule: isObjectName, yes: ['a', 'a.b-c', '1'], no: ['', 'A', 'a..b', '.a', 'a/b', 'a'.repeat(254)] },
  {
    rule: isFqdn,
    yes: ['a', 'a.b', 'a.b.', 'A.b', '1.a', `${label63}.b`],
    no: ['', '.', 'a..b', '*.a', 'a.1', '1.2.3.4', 'a_b', `${label63}a.b`, `${'a.'.repeat(128)}b`],
  },
  { rule: isHost, yes: ['a.b', '*.b', '*.a.b'], no: ['*', '*.', '*a.b', 'a.*', '*.*.b'] },
  { rule: isLabelKey, yes: ['a', 'a_b.c', 'x.y/a', label63], no: ['', '/a', 'a/', 'a/b/c', 'A/', '-a', `${label63}a`] },
  { rule: isLabelValue, yes: ['', 'a', 'a_b.c-d'], no: ['-', 'a b', '*', `${label63}a`] },
  {
    rule: isIpAddress,
    yes: ['0.0.0.0', '255.255.255.255', '::', 'fd00::1', '::ffff:1.2.3.4'],
    no: ['', '1', '1.2.3', '256.1.1.1', '01.2.3.4', '0x1.2.3.4', 'fe80::1%eth0', '1.2.3.4/8', ':::', '1.2.3.4 '],
  },
  {
    rule: isCidr,
    yes: ['0.0.0.0/0', '10.1.2.3/32', '::/0', 'fd00::/128'],
    no: ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/08', '::/129', 'a/8'],
  },
  { rule: isUnixAddress, yes: ['unix:///a', 'unix://@a'], no: ['', 'unix://', 'unix://a', 'unix:/a', '/a'] },
  {
    rule: isHostAndPort,
    yes: ['a:1', 'a.b:65535', '1.2.3.4:80', '[::1]:80'],
    no: ['', 'a', ':80', 'a:0', 'a:65536', 'a:080', 'a:x', '::1:80', '[1.2.3.4]:80', '[]:80'],
  },
];

for (const { rule, yes, no } of table) {
  test(`${rule.name} accepts valid texts and refuses others`, (t) => {
    for (const text of yes) t.true(rule(text), text);
    for (const text of no) t.false(rule(text), text);
  });
}

test('no rule takes long for a hostile text', (t) => {
  const hostile = `${'a-'.repeat(500_000)}!`;
  const spentMs = processorMs(() => {
    for (const { rule } of table) t.false(rule(hostile));
  });
  t.true(spentMs < 1000, `${spentMs} ms`);
});
