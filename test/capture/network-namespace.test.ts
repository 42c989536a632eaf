import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { findNamespaceMode } from '../counterparts/namespace-mode.js';
import { programFile } from '../counterparts/program-file.js';

const mode = findNamespaceMode();
if ('missing' in mode && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(mode.missing);
/** Needs network namespaces; see test/counterparts/namespace-mode.ts. */
const it = 'missing' in mode ? test.skip : test;

const MAIN = programFile('navigator-discovery');

/** Runs a script in a new network namespace, where CAPTURE is the command. */
function inNamespace(script: string): string {
  const unshare = 'value' in mode && mode.value === 'root' ? '-n' : '-rn';
  return execFileSync('unshare', [unshare, 'sh', '-ec', `ip link set lo up\n${script}`], {
    encoding: 'utf8',
    env: { ...process.env, CAPTURE: `${process.execPath} ${MAIN} capture-traffic` },
  });
}

it('the command sets rules that the kernel takes, of both families, and twice are the same', (t) => {
  const flags = '--excludeInboundPorts=15021,22 --excludeOutboundIPRanges=10.9.0.0/16,fd00:9::/32';
  const save = 'iptables-save -t nat | grep MESH; ip6tables-save -t nat | grep MESH; ip -6 -brief address show dev lo';
  const printed = inNamespace(`$CAPTURE ${flags}\necho ---\n${save}\necho ---\n$CAPTURE ${flags} >/dev/null\n${save}`);
  const [report, once, twice] = printed.split('---\n');
  t.regex(
    report ?? '',
    /^IPv4: rules are set with iptables\S*-restore\nIPv6: rules are set with ip6tables\S*-restore\n$/,
  );
  t.is(once, twice);
  const rules = once ?? '';
  t.regex(rules, /-A MESH_INBOUND -p tcp -m tcp --dport 22 -j RETURN/);
  t.regex(rules, /-A MESH_OUTPUT -d 10\.9\.0\.0\/16 -j RETURN/);
  t.regex(rules, /-A MESH_OUTPUT -d fd00:9::\/32 -j RETURN/);
  t.regex(rules, /::6\/128/);
});

it('rules of others stay as they are', (t) => {
  const printed = inNamespace(
    ['iptables -t nat -A PREROUTING -p tcp --dport 9 -j RETURN', '$CAPTURE >/dev/null', 'iptables-save -t nat'].join(
      '\n',
    ),
  );
  t.regex(printed, /--dport 9 -j RETURN/);
  t.regex(printed, /-A PREROUTING -p tcp -j MESH_INBOUND/);
});

it('a dry run prints rules, and sets none', (t) => {
  const printed = inNamespace('$CAPTURE --dryRun --includeInboundPorts=80\necho ---\niptables-save -t nat');
  const [shown, present] = printed.split('---\n');
  t.regex(shown ?? '', /-A MESH_INBOUND -p tcp --dport 80 -j MESH_IN_REDIRECT/);
  t.notRegex(present ?? '', /MESH/);
});

it('a flag that makes no sense is refused before anything is done', (t) => {
  const printed = inNamespace('$CAPTURE --includeOutboundIPRanges=10.0.0.0 2>&1 || true\niptables-save -t nat');
  t.regex(printed, /--includeOutboundIPRanges/);
  t.regex(printed, /such as 10\.0\.0\.0\/8/);
  t.notRegex(printed, /MESH/);
});

it('files are written, and with interception mode NONE nothing else is done', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-capture-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = (name: string, content: string): string => `'--writeFile=${join(folder, name)}=${content}'`;
  const printed = inNamespace(
    `$CAPTURE --interceptionMode=NONE ${file('a.json', '{"x": "1=2, 3"}')} ${file('b', '')}\niptables-save -t nat`,
  );
  t.true(
    printed.startsWith(
      `wrote ${folder}/a.json\nwrote ${folder}/b\nno rules are set, because the interception mode is NONE\n`,
    ),
  );
  t.notRegex(printed, /MESH/);
  t.is(await readFile(join(folder, 'a.json'), 'utf8'), '{"x": "1=2, 3"}');
  t.is(await readFile(join(folder, 'b'), 'utf8'), '');
});

it('a file that cannot be written keeps the pod from starting', (t) => {
  const printed = inNamespace('$CAPTURE --writeFile=/nowhere/at/all=x 2>&1 || echo failed');
  t.regex(printed, /ENOENT: no such file or directory, open '\/nowhere\/at\/all'\nfailed/);
  t.regex(
    inNamespace('$CAPTURE --writeFile=relative=x 2>&1 || true'),
    /--writeFile.*path=content, with an absolute path/,
  );
});
