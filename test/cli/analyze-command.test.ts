import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { run } from '../../src/cli/run.js';

async function analyze(argv: readonly string[], stdin = '', env: Record<string, string> = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const loadDiscovery = () => Promise.reject(new Error('analyze starts no server'));
  const streams = { stdin: Readable.from([stdin]), stdout, stderr };
  const code = await run(['analyze', ...argv], { env, ...streams, colorDepth: 8, loadDiscovery }, discoveryProgram);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

const GOOD = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80, name: http-web}]}\n';
const QUOTA = `apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpec
metadata: {name: books}
spec: {rules: [{quotas: [{quota: requests, charge: 0}]}]}
`;
const BAD = 'apiVersion: config.mesh.internal/v1alpha2\nkind: QuotaSpec\nmetadata: {name: books}\nspec: {rulez: []}\n';

async function withFolder(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'analyze-'));
  try {
    await mkdir(join(folder, 'inner'));
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('analyze reads files, folders and standard input, and ends with 0 without errors', async (t) => {
  await withFolder({ 'one.conf': GOOD, 'inner/quota.yaml': QUOTA, 'notes.txt': 'not read' }, async (folder) => {
    const { code, stdout, stderr } = await analyze([join(folder, 'one.conf'), folder, '-'], GOOD.replace('web', 'db'));
    t.is(code, 0, stderr);
    t.true(stdout.startsWith(`${join(folder, 'inner/quota.yaml')}:4  warning  MESH0241\n`), stdout);
    t.true(
      stdout.endsWith(
        '1 warning in 3 objects in 3 files\nleft out 1 message about objects that the input lacks; --complete reports them if the input is the whole mesh\n',
      ),
      stdout,
    );
    t.false(stdout.includes('\u001B'), 'no colours without a terminal');
  });
});

test('an error ends analyze with 2, and --failure-threshold moves the level', async (t) => {
  const bad = await analyze(['-'], BAD);
  t.is(bad.code, 2, bad.stdout);
  t.true(bad.stdout.startsWith('stdin:4  error  MESH0106\n'), bad.stdout);
  t.true(bad.stdout.includes('\n  "rulez" is not a known field\n'), bad.stdout);
  t.true(bad.stdout.endsWith('\n1 error in 1 object in 1 file\n'), bad.stdout);
  t.is((await analyze(['-', '--failure-threshold', 'warn'], QUOTA)).code, 2);
  t.is((await analyze(['-', '--failure-threshold=error'], QUOTA)).code, 0);
});

test('the exit code counts findings that --output-threshold hides', async (t) => {
  const { code, stdout } = await analyze(['-', '--failure-threshold=warn', '--output-threshold=error'], QUOTA);
  t.is(code, 2);
  t.true(stdout.startsWith('no findings'), stdout);
});

test('analyze -o json prints findings and summary', async (t) => {
  const { code, stdout } = await analyze(['-', '-o', 'json', '-n', 'shop'], QUOTA);
  t.is(code, 0);
  const { findings, summary } = JSON.parse(stdout);
  t.deepEqual(findings[0].object, { kind: 'QuotaSpec', namespace: 'shop', name: 'books' });
  t.deepEqual(summary, { files: 1, objects: 1, skipped: 0, leftOut: 1 });
});

test('--color=always colours output that is no terminal', async (t) => {
  t.true((await analyze(['-', '--color=always'], BAD)).stdout.includes('\u001B[31;1merror'));
});

test('--meshConfig adds the findings about settings, and a wrong one ends analyze with 1', async (t) => {
  await withFolder(
    { 'mesh.yaml': 'disablePolicyChecks: true\n', 'bad.yaml': 'connectTimeout: 7\n' },
    async (folder) => {
      const { stdout } = await analyze(['-', '--meshConfig', join(folder, 'mesh.yaml')], QUOTA);
      t.true(stdout.includes('MESH0204'), stdout);
      const bad = await analyze(['-', '--meshConfig', join(folder, 'bad.yaml')], QUOTA);
      t.is(bad.code, 1);
      t.regex(bad.stderr, /bad\.yaml of --meshConfig is invalid: connectTimeout/);
    },
  );
});

test('wrong operands and flags end analyze with 1 and one line', async (t) => {
  await withFolder({}, async (folder) => {
    for (const [argv, said] of [
      [[], /needs a file, a folder, - for standard input, --address or --cluster/],
      [['/nowhere/at/all'], /\/nowhere\/at\/all does not exist/],
      [[folder], /has no \.yaml, \.yml or \.json file/],
      [['-'], /the input has no objects/],
      [['-', '--failure-threshold=bad'], /--failure-threshold/],
      [['-', '--grpcAddr', ':1'], /--grpcAddr/],
    ] as const) {
      const { code, stdout, stderr } = await analyze(argv);
      t.is(code, 1, stderr);
      t.is(stdout, '');
      t.regex(stderr, said);
      t.is(stderr.trimEnd().split('\n').length, 1, stderr);
    }
  });
});
