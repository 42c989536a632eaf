import { execFileSync } from 'node:child_process';
import { mkdir, realpath, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { RefusedFileError, readConfigFile } from '../../../src/sources/file/read-config-file.js';
import { eventually } from '../../support/eventually.js';
import {
  createFolderHarness,
  type FolderHarness,
  hostsOf,
  serviceEntry,
  startHarness,
} from '../support/folder-harness.js';

const OUTSIDE = /^is a link that leads out of the configuration folder, and is not followed; copy/;

function problemsOf({ source }: FolderHarness): readonly string[] {
  return source.reports().map(({ file, reason }) => `${file} ${reason}`);
}

test('a link to a file outside of the folder is not followed, and reported', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('../outside/secret.yaml', serviceEntry('secret'));
  await folder.write('inside.yaml', serviceEntry('inside'));
  await symlink('../outside/secret.yaml', folder.at('link.yaml'));
  await symlink(folder.at('../outside/secret.yaml'), folder.at('absolute.yaml'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['inside.example.com']);
  t.deepEqual(
    harness.source.reports().map(({ file }) => file),
    ['absolute.yaml', 'link.yaml'],
  );
  t.regex(harness.source.reports()[0]?.reason ?? '', OUTSIDE);
  t.true(harness.log.some(({ level, fields }) => level === 'error' && fields['file'] === 'link.yaml'));
});

test('a link to a folder outside is not followed, nor one that leads there by another link', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('../outside/secret.yaml', serviceEntry('secret'));
  await folder.write('inside.yaml', serviceEntry('inside'));
  await symlink('../outside', folder.at('direct'));
  await symlink('direct', folder.at('indirect'));
  await symlink('direct/secret.yaml', folder.at('deep.yaml'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['inside.example.com']);
  t.deepEqual(
    harness.source.reports().map(({ file }) => file),
    ['deep.yaml', 'direct', 'indirect'],
  );
});

test('a folder whose name begins like that of the folder is outside of it', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  const beside = `${folder.at('.')}-beside`;
  await mkdir(beside);
  t.teardown(async () => execFileSync('rm', ['-r', beside]));
  await writeFile(path.join(beside, 'secret.yaml'), serviceEntry('secret'));
  await symlink(path.join(beside, 'secret.yaml'), folder.at('link.yaml'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), []);
  t.is(problemsOf(harness).length, 1);
});

test('the folder itself may be a link', async (t) => {
  const place = await createFolderHarness(t);
  await place.folder.write('real/a.yaml', serviceEntry('one'));
  await symlink('real', place.folder.at('link'));
  const harness = await createFolderHarness(t, { directory: place.folder.at('link') });
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  t.deepEqual(problemsOf(harness), []);
});

test('a file that becomes a link to outside keeps its last good state', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('../outside/secret.yaml', serviceEntry('secret'));
  await folder.write('a.yaml', serviceEntry('one'));
  await startHarness(harness);
  await symlink('../outside/secret.yaml', folder.at('.next'));
  await rename(folder.at('.next'), folder.at('a.yaml'));
  await eventually('the link is reported', () => harness.source.reports().length === 1);
  t.regex(harness.source.reports()[0]?.reason ?? '', OUTSIDE);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
});

test('the opened file counts, not the former target of its name', async (t) => {
  const { folder } = await createFolderHarness(t);
  await folder.write('../outside/secret.yaml', 'secret');
  await folder.write('inside.yaml', 'inside');
  const realRoot = await realpath(folder.at('.'));
  // As found by the scan: small. The link has been exchanged since then.
  await symlink('../outside/secret.yaml', folder.at('link.yaml'));
  for (const size of [6, 1_000_000]) {
    const options = { realRoot, size, maxBytes: 2_000_000 };
    await t.throwsAsync(readConfigFile(folder.at('link.yaml'), options), {
      instanceOf: RefusedFileError,
      message: OUTSIDE,
    });
    t.is(await readConfigFile(folder.at('inside.yaml'), options), 'inside');
    await t.throwsAsync(readConfigFile(folder.at('inside.yaml'), { ...options, maxBytes: 5 }), {
      message: 'is larger than 5 bytes; split it',
    });
  }
});

test('FIFOs, devices and folders in the place of files are reported without a delay', async (t) => {
  t.timeout(30_000, 'a read waits for a writer');
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('a.yaml', serviceEntry('one'));
  await folder.write('b.yaml', serviceEntry('two'));
  execFileSync('mkfifo', [folder.at('fifo.yaml'), folder.at('.pipe')]);
  await symlink('.pipe', folder.at('link.yaml'));
  await symlink('/dev/zero', folder.at('zero.yaml'));
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com', 'two.example.com']);
  t.deepEqual(
    harness.source.reports().map(({ file }) => file),
    ['fifo.yaml', 'link.yaml', 'zero.yaml'],
  );
  t.is(harness.source.reports()[0]?.reason, 'is not a regular file, and is not read; remove it');

  execFileSync('mkfifo', [folder.at('.next')]);
  await rename(folder.at('.next'), folder.at('a.yaml'));
  await eventually('the file that became a FIFO is reported', () => harness.source.reports().length === 4);
  t.deepEqual(hostsOf(harness), ['one.example.com', 'two.example.com']);
});

test('a FIFO that takes the place of a file after the scan does not hold up the read', async (t) => {
  t.timeout(30_000, 'the read waits for a writer');
  const { folder } = await createFolderHarness(t);
  execFileSync('mkfifo', [folder.at('fifo.yaml')]);
  const realRoot = await realpath(folder.at('.'));
  for (const size of [6, 1_000_000]) {
    await t.throwsAsync(readConfigFile(folder.at('fifo.yaml'), { realRoot, size, maxBytes: 2_000_000 }), {
      message: 'is not a regular file, and is not read; remove it',
    });
  }
});

test('a file of a terabyte is not read', async (t) => {
  const harness = await createFolderHarness(t);
  const { folder } = harness;
  await folder.write('a.yaml', serviceEntry('one'));
  await folder.write('huge.yaml', '');
  await truncate(folder.at('huge.yaml'), 2 ** 40);
  await startHarness(harness);
  t.deepEqual(hostsOf(harness), ['one.example.com']);
  t.deepEqual(problemsOf(harness), ['huge.yaml is larger than 16777216 bytes; split it']);
});
