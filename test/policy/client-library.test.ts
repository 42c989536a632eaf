import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { startPolicyServer, untilReady } from '../bootstrap/support/policy-mesh.js';
import { startServer } from '../bootstrap/support/running-server.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { eventually } from '../support/eventually.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** A folder of somebody else's, with the package installed as npm would pack it. */
let folder = '';

test.before('the package is packed and installed', async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'navigator-consumer-'));
  const modules = path.join(folder, 'node_modules');
  const installed = path.join(modules, 'navigator-discovery');
  await mkdir(installed, { recursive: true });
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 64 << 20 });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', path.join(folder, filename), '--strip-components=1', '-C', installed]);
  // Its dependencies are those that are installed here.
  for (const name of await readdir(path.join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
});

test.after.always('the folder is removed', () => rm(folder, { recursive: true, force: true }));

/** Runs a module in the consumer's folder with plain node. */
async function runModule(code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: folder });
  return stdout.trim();
}

test.serial('plain node imports the policy client from the package', async (t) => {
  const names = JSON.parse(
    await runModule(`
      import * as library from 'navigator-discovery/policy-client';
      console.log(JSON.stringify(Object.keys(library)));
    `),
  ) as string[];
  for (const name of ['compileApiSpecs', 'compileQuotaSpecs', 'createAttributeBag', 'createPolicyClient']) {
    t.true(names.includes(name), name);
  }
  t.true(names.includes('createGrpcPolicyTransport'));
});

test.serial('what is not exported cannot be imported', async (t) => {
  const inner = 'navigator-discovery/build/src/policy/client/policy-client.js';
  const error = await t.throwsAsync(runModule(`import '${inner}';`));
  t.regex(error.message, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test.serial('both binaries of the package run', async (t) => {
  const { bin } = JSON.parse(
    await readFile(path.join(folder, 'node_modules/navigator-discovery/package.json'), 'utf8'),
  ) as { bin: Readonly<Record<string, string>> };
  t.deepEqual(Object.keys(bin), ['navigator-discovery', 'navigator-policy']);
  for (const file of Object.values(bin)) {
    const binary = path.join(folder, 'node_modules/navigator-discovery', file);
    const { stdout } = await run(process.execPath, [binary, 'version'], { cwd: folder });
    t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
    t.true((await readFile(binary, 'utf8')).startsWith('#!/usr/bin/env node\n'));
  }
});

test.serial('importing the library does not keep a process alive', async (t) => {
  t.is(await runModule(`await import('navigator-discovery/policy-client'); console.log('done');`), 'done');
});

async function docsBlock(language: string): Promise<string> {
  const text = await readFile(path.join(ROOT, 'docs/policy-client.md'), 'utf8');
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  if (block === undefined) throw new Error(`docs/policy-client.md has no block of ${language}`);
  return block;
}

/** Compiles a file of the consumer's folder; gives what the compiler says. */
async function compile(file: string): Promise<string> {
  const options = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict'];
  try {
    await run(process.execPath, [TSC, ...options, '--noPropertyAccessFromIndexSignature', file], { cwd: folder });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test.serial('its types are exported and correct', async (t) => {
  await writeFile(
    path.join(folder, 'types.ts'),
    `
      import { createPolicyClient, type PolicyTransport, stringAttribute, systemClock } from 'navigator-discovery/policy-client';
      declare const transport: PolicyTransport;
      const client = createPolicyClient({}, { transport, clock: systemClock, random: Math.random, clientId: 'x' });
      // @ts-expect-error a decision is a promise
      client.check({ attributes: undefined! }).status;
      // @ts-expect-error an attribute is of one type
      stringAttribute(1);
      // @ts-expect-error there is no such fail policy
      createPolicyClient({ networkFailPolicy: { policy: 'FAIL_SOMEHOW' } }, undefined!);
      export const code: 'OK' | string = (await client.check({ attributes: undefined! })).status.code;
    `,
  );
  t.is(await compile('types.ts'), '');
});

test.serial('the worked example of docs/policy-client.md compiles, runs, and limits each key', async (t) => {
  await writeFile(path.join(folder, 'example.ts'), await docsBlock('ts'));
  t.is(await compile('example.ts'), '');
  const limits = path.join(folder, 'policy.yaml');
  await writeFile(limits, await docsBlock('yaml'));
  const { server: policy } = await startPolicyServer(t, await startServer(t), limits);
  await untilReady(policy);
  const example = startManagedProcess({
    name: 'example',
    command: [process.execPath, path.join(folder, 'example.js')],
    env: { POLICY_SERVER: `127.0.0.1:${policy.policyPort}`, PORT: '0' },
  });
  t.teardown(() => example.stop('SIGKILL'));
  const port = (): string | undefined => /port: (\d+)/.exec(example.lines.join('\n'))?.[1];
  await eventually('the example listens', () => port() !== undefined || !example.isRunning());
  const url = `http://127.0.0.1:${port()}`;

  const read = async (target: string): Promise<number> => (await fetch(`${url}${target}`)).status;
  const answers = await Promise.all(Array.from({ length: 15 }, () => read('/books/1?key=ann')));
  t.deepEqual(answers.toSorted(), [...Array(10).fill(200), ...Array(5).fill(429)], example.tail());
  const refused = await fetch(`${url}/books/2?key=ann`);
  t.is(await refused.text(), 'Quota is exhausted for: reads');
  t.is(await read('/books/1?key=bob'), 200);
  t.is(await read('/other?key=ann'), 200);

  await policy.process.stop('SIGKILL');
  t.is(await read('/books/1?key=bob'), 503);
  example.child.kill('SIGTERM');
  t.deepEqual(await example.exited, { code: 0, signal: null });
});
