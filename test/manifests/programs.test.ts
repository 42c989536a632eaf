import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runCommand } from '../counterparts/command.js';
import { projectRoot } from '../counterparts/project-root.js';
import { copiesOf, finalStage, instruction, readStages } from './support/dockerfile.js';

const root = projectRoot();
const PROGRAMS = ['navigator-discovery', 'navigator-policy'] as const;

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  // Without links, for npm writes relative ones.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'navigator-programs-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program by its name alone. */
function helpOf(program: string, path: string) {
  const { status, stdout, stderr } = spawnSync(program, ['--help'], { env: { PATH: path }, encoding: 'utf8' });
  return { status, complaint: stderr, namesItself: stdout?.includes(`$ ${program} `) };
}
const HELPS = { status: 0, complaint: '', namesItself: true };

test('npm install puts both programs on the PATH', async (t) => {
  const folder = await temporaryFolder(t);
  const npm = ['npm', '--silent', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
  const tarball = await runCommand([...npm, 'pack', '--pack-destination', folder, root]);
  await runCommand(['tar', '-xzf', join(folder, tarball.trim().split('\n').at(-1) ?? ''), '-C', folder]);
  const installed = join(folder, 'package');
  await runCommand([...npm, 'install', '--global', '--prefix', join(folder, 'prefix'), installed]);
  // The packages that they need, without a registry.
  await symlink(await realpath(join(root, 'node_modules')), join(installed, 'node_modules'));
  const path = [join(folder, 'prefix/bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  for (const program of PROGRAMS) t.deepEqual(helpOf(program, path), HELPS, program);
});

test('the image has both programs on its PATH, without a shell and without env', async (t) => {
  const image = await temporaryFolder(t);
  const here = (text: string): string =>
    text
      .replaceAll('/nodejs/bin/node', process.execPath)
      .replaceAll('/app/', `${image}/app/`)
      .replaceAll('/links', `${image}/links`);
  for (const path of ['programs', 'build-info.json']) {
    await mkdir(join(image, 'app/build'), { recursive: true });
    await cp(join(root, 'build', path), join(image, 'app/build', path), { recursive: true }).catch((error) => {
      if (path === 'programs') throw error;
    });
  }
  await cp(join(root, 'package.json'), join(image, 'app/package.json'));
  await symlink(await realpath(join(root, 'node_modules')), join(image, 'app/node_modules'));

  const command = readStages()
    .flat()
    .find((line) => line.startsWith('RUN ') && line.includes('/links'));
  await runCommand(['sh', '-ec', `cd ${image}/app; ${here((command ?? '').slice('RUN '.length))}`]);
  const copy = copiesOf(finalStage()).find(({ sources }) => sources[0] === '/links/');
  t.is(copy?.from, 'build');
  await cp(join(image, 'links'), join(image, copy?.target ?? ''), { recursive: true, verbatimSymlinks: true });

  const [, path = ''] = instruction(finalStage(), 'ENV').split('PATH=');
  t.true(path.split(':').includes(copy?.target.replace(/\/$/, '') ?? ''), path);
  const [node = ''] = JSON.parse(instruction(finalStage(), 'ENTRYPOINT')) as string[];
  t.true(path.split(':').includes(dirname(node)), path);
  for (const program of PROGRAMS) {
    // The PATH has no folder with env or a shell.
    t.deepEqual(helpOf(program, join(image, copy?.target ?? '')), HELPS, program);
    const first = (await readFile(join(image, copy?.target ?? '', program), 'utf8')).split('\n')[0];
    t.is(first, `#!${process.execPath}`);
  }
});
