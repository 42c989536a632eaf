import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { eventually } from '../../support/eventually.js';
import { createFolderHarness, hostsOf, serviceEntry, startHarness } from '../support/folder-harness.js';

test('a ConfigMap mount is read once, and again when its ..data link is swapped', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('..2024_1/a.yaml', serviceEntry('one', 'v1.example.com'));
  await symlink('..2024_1', folder.at('..data'));
  await symlink('..data/a.yaml', folder.at('a.yaml'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['v1.example.com']);
  t.deepEqual(harness.source.reports(), []);

  for (const version of [2, 3]) {
    await folder.write(`..2024_${version}/a.yaml`, serviceEntry('one', `v${version}.example.com`));
    await symlink(`..2024_${version}`, folder.at('..data_tmp'));
    await rename(folder.at('..data_tmp'), folder.at('..data'));
    await folder.remove(`..2024_${version - 1}`);
    await eventually(`version ${version} arrives`, () => hostsOf(harness)[0] === `v${version}.example.com`);
  }
});

test('the file behind a link is watched where it is', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('.store/real.yaml', serviceEntry('one', 'v1.example.com'));
  await symlink('.store/real.yaml', folder.at('link.yaml'));
  await startHarness(harness);
  await folder.write('.store/real.yaml', serviceEntry('one', 'v2.example.com'));
  await eventually('the change behind the link arrives', () => hostsOf(harness)[0] === 'v2.example.com');
  t.deepEqual(harness.source.reports(), []);
});

test('folders that link to each other are read once', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a/one.yaml', serviceEntry('one'));
  await symlink('..', harness.folder.at('a/up'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  t.deepEqual(harness.source.reports(), []);
});

test('a dangling link is reported, and the last state of its target stays served', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('.store/real.yaml', serviceEntry('one'));
  await symlink('.store/real.yaml', folder.at('link.yaml'));
  await startHarness(harness);
  await folder.remove('.store/real.yaml');
  await eventually('the broken link is reported', () => harness.source.reports().length === 1);
  t.is(harness.source.reports()[0]?.file, 'link.yaml');
  t.regex(harness.source.reports()[0]?.reason ?? '', /^cannot be read: ENOENT/);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  await folder.remove('link.yaml');
  await eventually('the object goes with the link', () => harness.objects.size === 0);
  t.deepEqual(harness.source.reports(), []);
});

test('while the folder is gone its last state is served, and a folder that takes its place is read', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('a.yaml', serviceEntry('one'));
  await startHarness(harness);
  await rename(folder.path, `${folder.path}.old`);
  await eventually('the missing folder is reported', () => harness.source.reports().length === 1);
  t.is(harness.source.reports()[0]?.file, '.');
  t.deepEqual(hostsOf(harness), ['one.example.com']);

  await mkdir(`${folder.path}.new`);
  await folder.write('../config.new/b.yaml', serviceEntry('two'));
  await rename(`${folder.path}.new`, folder.path);
  await eventually('the new folder is read', () => hostsOf(harness)[0] === 'two.example.com');
  t.deepEqual(harness.source.reports(), []);
  await folder.write('b.yaml', serviceEntry('three'));
  await eventually('the new folder is watched', () => hostsOf(harness)[0] === 'three.example.com');
  t.deepEqual([...harness.objects.keys()], ['ServiceEntry/default/three']);
});

test('a folder below that is removed and made again is watched again', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('sub/a.yaml', serviceEntry('one', 'v1.example.com'));
  await startHarness(harness);
  for (const version of ['v2', 'v3']) {
    await rm(folder.at('sub'), { recursive: true });
    await folder.write('sub/a.yaml', serviceEntry('one', `${version}.example.com`));
    await eventually(`${version} arrives`, () => hostsOf(harness)[0] === `${version}.example.com`);
    await folder.write('sub/a.yaml', serviceEntry('one', `${version}b.example.com`));
    await eventually(`${version}b arrives`, () => hostsOf(harness)[0] === `${version}b.example.com`);
  }
  t.is(harness.objects.size, 1);
});

test('files that are not configuration change without anything being read or told', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', serviceEntry('one'));
  await startHarness(harness);
  await harness.folder.write('log.txt', 'x');
  await harness.folder.write('.a.yaml.swp', 'x');
  await harness.folder.write('.hidden.yaml', serviceEntry('hidden'));
  await harness.folder.write(path.join('b.yaml'), serviceEntry('two'));
  await eventually('the later file arrives', () => harness.objects.size > 1);
  t.deepEqual(hostsOf(harness), ['one.example.com', 'two.example.com']);
});

test('a change without a report of the system is found by the next scan', async (t) => {
  const harness = await createFolderHarness(t, { rescanMs: 20 });
  const { folder } = harness;
  await folder.write('.real/v1.yaml', serviceEntry('one', 'v1.example.com'));
  await folder.write('.real/v2.yaml', serviceEntry('one', 'v2.example.com'));
  await mkdir(folder.at('.unwatched'));
  await symlink('../.real/v1.yaml', folder.at('.unwatched/middle.yaml'));
  await symlink('.unwatched/middle.yaml', folder.at('link.yaml'));
  await startHarness(harness);
  await symlink('../.real/v2.yaml', folder.at('.unwatched/next.yaml'));
  await rename(folder.at('.unwatched/next.yaml'), folder.at('.unwatched/middle.yaml'));
  await eventually('the change is found', () => hostsOf(harness)[0] === 'v2.example.com');
  t.is(harness.batches.length, 2);
});

test('a batch that cannot be handed over at the start fails the start', async (t) => {
  const harness = await createFolderHarness(t);
  await harness.folder.write('a.yaml', serviceEntry('one'));
  await t.throwsAsync(
    harness.source.start(() => {
      throw new Error('no room');
    }),
    { message: 'no room' },
  );
});
