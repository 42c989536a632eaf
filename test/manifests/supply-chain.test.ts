import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

const run = promisify(execFile);
const root = projectRoot();
const script = (name: string): string => join(root, 'scripts', name);

interface LockEntry {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-supply-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function lockEntries(): Promise<readonly (readonly [name: string, entry: LockEntry])[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry]);
}

test('the bill of materials names exactly the production packages of the lock file', async (t) => {
  const file = join(await temporaryFolder(t), 'sbom.json');
  await run(process.execPath, [script('sbom.mjs'), file]);
  const { bomFormat, components } = JSON.parse(await readFile(file, 'utf8')) as {
    bomFormat: string;
    components: readonly { name: string; version: string; hashes?: readonly object[] }[];
  };
  t.is(bomFormat, 'CycloneDX');
  const production = (await lockEntries()).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const expected = new Set(production.map(([name, { version }]) => `${name}@${version}`));
  t.deepEqual(components.map(({ name, version }) => `${name}@${version}`).sort(), [...expected].sort());
  t.true(components.every(({ hashes }) => hashes?.length === 1));
});

test('every package of the lock file has a hash, except optional tools of other platforms', async (t) => {
  await t.notThrowsAsync(run(process.execPath, [script('lock-integrity.mjs'), '--check']));
  const production = (await lockEntries()).filter(([, { dev }]) => dev !== true);
  t.deepEqual(
    production.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')),
    [],
  );
});

test('a lock file with packages without hashes is rejected', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'scripts'));
  await cp(script('lock-integrity.mjs'), join(folder, 'scripts/lock-integrity.mjs'));
  for (const entry of [
    { version: '1.0.0' },
    { version: '1.0.0', dev: true },
    { version: '1.0.0', dev: true, optional: true, os: ['linux'], cpu: ['x64'] },
  ]) {
    const lock = { packages: { '': {}, 'node_modules/some': entry } };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    await t.throwsAsync(run(process.execPath, [join(folder, 'scripts/lock-integrity.mjs'), '--check']), {
      message: /not excused:\n {2}node_modules\/some/,
    });
  }
});

test('no package runs a script at installation, at every call of npm ci', async (t) => {
  t.regex(await readFile(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m);
  for (const file of ['.ci/run', 'Dockerfile']) {
    const calls = (await readFile(join(root, file), 'utf8')).match(/npm ci\b[^\n']*$/gm) ?? [];
    t.true(calls.length > 0, file);
    for (const call of calls) t.regex(call, /--ignore-scripts/, `${file}: ${call}`);
  }
  t.regex(await readFile(script('set-up.mjs'), 'utf8'), /'ci',\s+'--ignore-scripts'/);
});

for (const [what, output, code, expected] of [
  ['verified signatures', 'audited 222 packages\n222 packages have verified registry signatures', 0, 0],
  ['a registry that is away', 'npm error code ENOTFOUND\nnpm error network request failed', 1, 0],
  ['an invalid signature', '1 package has an invalid registry signature:\nsome@1.0.0', 1, 1],
  ['a missing signature', '1 package has a missing registry signature but the registry provides keys', 1, 1],
  ['a failure that is not understood', 'npm error something else', 1, 1],
] as const) {
  test(`CI ${expected === 0 ? 'passes' : 'fails'} with ${what}`, async (t) => {
    const program = join(await temporaryFolder(t), 'npm');
    await writeFile(program, `#!/bin/sh\ncat <<'EOT'\n${output}\nEOT\nexit ${code}\n`);
    await chmod(program, 0o755);
    const audit = run(process.execPath, [script('audit-signatures.mjs')], {
      env: { ...process.env, NPM_PROGRAM: program },
    });
    const outcome = await audit.then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    );
    t.is(outcome.code, expected);
    t.is(outcome.stderr.includes('WERE NOT VERIFIED'), code === 1 && expected === 0);
  });
}

test('Dockerfile, manifests and overlays name the images of images.json, and a missing digest stops a release', async (t) => {
  const folder = await temporaryFolder(t);
  const images = JSON.parse(await readFile(join(root, 'images.json'), 'utf8')) as Record<
    string,
    { tag: string; digest: string; files: string[] }
  >;
  await mkdir(join(folder, 'manifests'));
  for (const file of ['images.json', ...new Set(Object.values(images).flatMap(({ files }) => files))]) {
    await cp(join(root, file), join(folder, file));
  }
  const pin = (...flags: string[]) => run(process.execPath, [script('pin-images.mjs'), '--root', folder, ...flags]);
  const write = (digest: string) =>
    writeFile(
      join(folder, 'images.json'),
      JSON.stringify(Object.fromEntries(Object.entries(images).map(([name, image]) => [name, { ...image, digest }]))),
    );
  await write('');
  await t.throwsAsync(pin('--check'), { message: /has no digest/ });
  const digest = `sha256:${'0'.repeat(64)}`;
  await write(digest);
  await t.throwsAsync(pin('--check'), { message: /is stale/ });
  await pin('--offline');
  await t.notThrowsAsync(pin('--check'));
  for (const { tag, files } of Object.values(images)) {
    for (const file of files) t.true((await readFile(join(folder, file), 'utf8')).includes(`${tag}@${digest}`), file);
  }
});
