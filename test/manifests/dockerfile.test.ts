import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { captureTraffic } from '../../src/capture/capture-traffic.js';
import type { RunProgram } from '../../src/capture/run-program.js';
import { flagSource } from '../../src/cli/parse-options.js';
import { captureFlags } from '../../src/cli/settings/capture-flags.js';
import { readSettings } from '../../src/cli/settings/read-settings.js';
import { runCommand } from '../counterparts/command.js';
import { projectRoot } from '../counterparts/project-root.js';
import { copiesOf, finalStage, instruction, labelsOf, readStages } from './support/dockerfile.js';
import { findDeployment } from './support/read-documents.js';

const root = projectRoot();

/** The paths that .dockerignore does not exclude: it excludes everything, with exceptions. */
function allowedSources(): readonly string[] {
  return readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
}

test('both programs run from only the files that the final stage copies', async (t) => {
  const image = await mkdtemp(join(tmpdir(), 'navigator-image-'));
  t.teardown(() => rm(image, { recursive: true, force: true }));
  await runCommand([process.execPath, join(root, 'scripts/sbom.mjs')]);
  for (const { from, sources, target } of copiesOf(finalStage())) {
    t.is(sources.length, 1);
    // Programs of the build stage, which another test collects.
    if (from !== undefined && !sources[0]?.startsWith('/app/')) continue;
    const source = join(root, from === undefined ? String(sources[0]) : String(sources[0]).replace(/^\/app\//, ''));
    const destination = join(image, target);
    await mkdir(dirname(destination), { recursive: true });
    if (source.endsWith('/node_modules')) {
      // The result of `npm prune --omit=dev`.
      const listed = await runCommand(['npm', 'ls', '--prefix', root, '--omit=dev', '--all', '--parseable']);
      const packages = listed
        .trim()
        .split('\n')
        .slice(1)
        .map((path) => path.slice(source.length + 1));
      t.true(packages.length > 17);
      for (const name of packages.filter((path) => !path.includes('/node_modules/'))) {
        await mkdir(dirname(join(destination, name)), { recursive: true });
        await symlink(join(source, name), join(destination, name));
      }
    } else {
      await cp(source, destination, { recursive: true });
    }
  }
  const run = (program: string, ...args: string[]) => {
    // Links to packages stay links, so that a missing package is not found among the packages of the repository.
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const ended = spawnSync(process.execPath, [...flags, join(image, program), ...args], {
      encoding: 'utf8',
      cwd: join(image, instruction(finalStage(), 'WORKDIR')),
      env: {},
    });
    return { status: ended.status, complaint: ended.stderr, text: ended.stdout };
  };
  const [, discovery = ''] = JSON.parse(instruction(finalStage(), 'ENTRYPOINT')) as string[];
  const [, policy = ''] = findDeployment('navigator-policy').spec.template.spec.containers[0].command ?? [];
  const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  for (const program of [discovery, policy]) {
    const { status, text, complaint } = run(program, 'version');
    t.deepEqual({ status, complaint }, { status: 0, complaint: '' });
    t.true(text.includes(version), text);
  }
  // A wrong flag makes the server load all modules and then fail with its own message.
  const failed = run(discovery, 'discovery', '--configDir=/nowhere/at/all', '--grpcAddr=127.0.0.1:0');
  t.is(failed.status, 1);
  t.regex(failed.complaint, /\/nowhere\/at\/all/);
  t.notRegex(failed.complaint, /MODULE_NOT_FOUND|ENOENT: .*proto/);
});

test('a Deployment with another program of the image starts it like the image', (t) => {
  const [node = ''] = JSON.parse(instruction(finalStage(), 'ENTRYPOINT')) as string[];
  t.is(findDeployment('meshd').spec.template.spec.containers[0].command, undefined);
  t.is(findDeployment('navigator-policy').spec.template.spec.containers[0].command?.[0], node);
});

test('all files that are copied from the source exist, and .dockerignore includes them', (t) => {
  const fromSource = readStages()
    .flatMap(copiesOf)
    .filter(({ from }) => from === undefined)
    .flatMap(({ sources }) => sources.map((source) => source.replace(/\/$/, '')));
  t.deepEqual(fromSource.toSorted(), allowedSources().toSorted());
  for (const source of fromSource) t.true(existsSync(join(root, source)), source);
});

test('the image runs as a user other than root, by number, because Kubernetes cannot resolve names', (t) => {
  const [user, group] = instruction(finalStage(), 'USER').split(':').map(Number);
  t.true(Number(user) > 0 && Number(group) > 0);
});

test('the labels of the image are those of package.json', (t) => {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  const labels = labelsOf(finalStage());
  t.like(labels, {
    'org.opencontainers.image.title': name,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
  });
  t.true(description?.startsWith(labels['org.opencontainers.image.description'] ?? '-'));
});

test('build and image have the same Node.js, which package.json allows', (t) => {
  const majors = readStages().map(([from]) => Number(/node(?:js)?:?(\d+)/.exec(from ?? '')?.[1]));
  t.deepEqual(majors, [24, 24]);
});

const CAPTURE = /collect-programs\.sh \/capture ([^&]+)$/;
const collected = readStages()
  .flat()
  .map((line) => CAPTURE.exec(line)?.[1]?.trim().split(/\s+/))
  .find((programs) => programs !== undefined);

test('the image has the programs that set rules for captured traffic', async (t) => {
  const asked = new Set<string>();
  const run: RunProgram = async ([program = '']) => {
    asked.add(program);
    return { ok: program.startsWith('ip'), output: '', complaint: '' };
  };
  const parts = { run, ipv6: 'global', report: () => undefined } as const;
  const traffic = readSettings(captureFlags, flagSource(new Map())).fields;
  await captureTraffic(traffic, parts);
  t.deepEqual(
    [...asked].filter((program) => !collected?.includes(program)),
    [],
  );
  for (const kind of ['nft', 'legacy']) t.true(collected?.includes(`iptables-${kind}-restore`));
  t.true(readFileSync(join(root, 'Dockerfile'), 'utf8').includes('COPY --from=build /capture/usr/ /usr/\n'));
});

const isPossible = spawnSync('sh', ['-c', `command -v ${(collected ?? []).join(' ')} && unshare -n true`]).status === 0;
if (!isPossible && process.env['REQUIRE_COUNTERPARTS'] === '1') {
  throw new Error('a counterpart is missing: root, and Debian packages iptables and iproute2');
}
(isPossible ? test : test.skip)('what is collected for the image runs with the C library alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-capture-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await runCommand([join(root, 'scripts/collect-programs.sh'), folder, ...(collected ?? [])]);
  const cLibrary = 'for l in $(ldd /bin/sh | grep -o "/[^ ]*"); do mkdir -p "$0$(dirname $l)"; cp -L $l "$0$l"; done';
  const others = 'cp -L /lib/*/libm.so.6 /lib/*/libdl.so.2 /lib/*/libresolv.so.2 "$0"/lib/*/ 2>/dev/null || true';
  await runCommand(['sh', '-ec', `${cLibrary}\n${others}`, folder]);
  const rules =
    '*nat\n-A OUTPUT -p tcp -m owner --uid-owner 1337 -j RETURN\n-A OUTPUT -p tcp -j REDIRECT --to-ports 15001\nCOMMIT\n';
  const inside = (...command: readonly string[]) => ['unshare', '-n', 'chroot', folder, ...command];
  const path = (program: string) => `/usr/sbin/${program}`;
  await t.notThrowsAsync(runCommand(inside(path('iptables-nft-restore'), '--noflush'), rules));
  t.regex(await runCommand(inside(path('iptables-legacy-restore'), '--version')), /legacy/);
  t.regex(await runCommand(inside(path('ip'), 'link')), /lo:/);
});
