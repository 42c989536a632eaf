import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { BENCH_FLAGS, parseBenchOptions } from '../../../bench/cli/bench-options.js';
import { fanOutCommand } from '../../../bench/cli/fan-out-command.js';
import { parseFlags } from '../../../bench/cli/parsed-flags.js';
import { runCommandLine } from '../../../bench/cli/run-command-line.js';
import { writeResult } from '../../../bench/cli/write-result.js';

async function run(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  const code = await runCommandLine(args, {
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text) },
  });
  return { code, ...output };
}

const parse = (...args: string[]) => parseBenchOptions(parseFlags(fanOutCommand, args));

test('without flags it is the reference run', (t) => {
  t.like(parse(), {
    size: { services: 1000, endpointsPerService: 10, namespaces: 10 },
    clients: 200,
    phases: ['first-sync', 'endpoint', 'service'],
    repeat: 3,
    warmUp: 10,
    timeoutMs: 60_000,
    target: undefined,
    floor: true,
  });
});

test('routed services add a phase, and scopes leave the first sync alone', (t) => {
  t.deepEqual(parse('--routed', '100').phases, ['first-sync', 'endpoint', 'service', 'route']);
  t.deepEqual(parse('--routed', '100', '--scopes', '10').phases, ['first-sync']);
});

test('flags are applied, and phases are sorted', (t) => {
  const args = '--services 50 --endpoints=2 --namespaces 3 --clients 7 --phases service,first-sync --repeat 2';
  t.like(parse(...args.split(' '), '--workers', '2', '--timeout', '5', '--no-floor', '--json', '--strict'), {
    size: { services: 50, endpointsPerService: 2, namespaces: 3 },
    clients: 7,
    phases: ['first-sync', 'service'],
    repeat: 2,
    warmUp: 10,
    workers: 2,
    timeoutMs: 5000,
    floor: false,
  });
});

test('another server is measured by its first sync alone, unless its mesh folder is known', (t) => {
  t.deepEqual(parse('--target', '127.0.0.1:15010').phases, ['first-sync']);
  t.deepEqual(parse('--target', '[::1]:15010', '--mesh-dir', 'x').phases, ['first-sync', 'endpoint', 'service']);
});

const BAD: readonly (readonly [args: string, message: RegExp])[] = [
  ['--services 9', /^bench: --services: "9" is not a whole number from 10 to 20000\. See --help\.$/],
  ['--services many', /--services: "many" is not a whole number/],
  ['--services 1e3', /--services: "1e3" is not/],
  ['--services -1', /--services/],
  ['--endpoints 251', /--endpoints: "251" is not a whole number from 1 to 250/],
  ['--namespaces 0', /--namespaces: "0" is not/],
  ['--clients 0', /--clients: "0" is not a whole number from 1 to 10000/],
  ['--clients', /--clients.*missing/],
  ['--phases route', /--phases: "route" cannot be measured: it needs --routed 1 or more/],
  ['--phases endpoint --scopes 5', /--phases: "endpoint" cannot be measured: with --scopes/],
  ['--on-demand', /--on-demand: sidecars on demand speak delta xDS; give --protocol delta too/],
  ['--on-demand --protocol delta --phases storm', /"storm" cannot be measured: with --on-demand the clients have/],
  ['--clients 2.5', /--clients: "2\.5" is not/],
  ['--warm-up 101', /--warm-up: "101" is not a whole number from 0 to 100/],
  ['--repeat 0', /--repeat: "0" is not a whole number from 1 to 100/],
  ['--services 20 --repeat 3', /--repeat: "3" service changes need as many TCP services, and of 20 services 2 are/],
  ['--workers 0', /--workers: "0" is not/],
  ['--timeout 0', /--timeout: "0" is not a whole number from 1 to 3600/],
  ['--phases first', /--phases: "first" is not a phase\. Name one or more of first-sync, endpoint, service/],
  ['--phases=', /--phases: "" is not a phase/],
  ['--target localhost', /--target: "localhost" is not host:port/],
  ['--target localhost:70000', /--target: "localhost:70000" is not host:port/],
  ['--target localhost:0', /is not host:port/],
  ['--target localhost:1 --phases endpoint', /--phases: "endpoint" changes the mesh.*--mesh-dir/],
  ['--source disk', /--source: "disk" is not a source. Name one of folder, kubernetes/],
  ['--source kubernetes --target localhost:1', /leave out --target/],
  ['--mesh-dir x', /--mesh-dir: "x" is the folder that a --target watches; give --target too/],
  ['--bogus', /Unknown option '--bogus'/],
  ['polciy', /"polciy" is neither a command nor a flag/],
  ['mesh', /mesh: DIR is missing/],
  ['mesh a b', /"b" is neither/],
  ['mesh --clients 3 a', /Unknown option '--clients'/],
  ['kubernetes --rate 0', /--rate: "0" is not a whole number from 1 to 1000/],
  ['connections --clients 5 --few 5', /--few: "5" is not fewer than --clients, which is 5/],
  ['kubernetes --repeat 2', /Unknown option '--repeat'/],
];

for (const [args, message] of BAD) {
  test(`"${args}" is refused in one line`, async (t) => {
    const { code, stdout, stderr } = await run(...args.split(' '));
    t.is(code, 1);
    t.is(stdout, '');
    t.regex(stderr.trimEnd(), message);
    t.is(stderr.trimEnd().split('\n').length, 1);
  });
}

test('JSON is printed alone, or written to a file beside the text; a missed goal counts when asked', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-json-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const write = async (areGoalsMet: boolean, ...args: string[]) => {
    let stdout = '';
    const output = { stdout: { write: (text: string) => (stdout += text) }, stderr: { write: () => true } };
    const result = { text: () => 'text\n', document: { value: 1 }, areGoalsMet };
    const code = await writeResult(parseFlags(fanOutCommand, args), output, result);
    return { code, stdout };
  };
  const file = path.join(folder, 'run.json');
  t.deepEqual(await write(false), { code: 0, stdout: 'text\n' });
  t.deepEqual(await write(false, '--json', file, '--strict'), { code: 1, stdout: 'text\n' });
  const { stdout, code } = await write(true, '--json', '--strict');
  t.is(code, 0);
  t.like(JSON.parse(stdout), { value: 1, machine: { node: process.versions.node } });
  t.is(await readFile(file, 'utf8'), stdout);
  t.is((await write(true, `--json=${file}`)).stdout, 'text\n');
  await t.throwsAsync(write(true, '--json', path.join(folder, 'missing', 'run.json')), {
    message: /^--json: .* cannot be written: ENOENT/,
  });
});

test('the help names every flag', async (t) => {
  for (const args of [['--help'], ['-h'], ['help'], ['mesh', '--help']]) {
    const { code, stdout } = await run(...args);
    t.is(code, 0);
    for (const name of Object.keys(BENCH_FLAGS)) t.regex(stdout, new RegExp(`--(no-)?${name}\\b`));
    t.true(stdout.split('\n').every((line) => line.length <= 110));
  }
});
