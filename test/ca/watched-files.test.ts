import { rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { createWatchedFiles, type FileContents } from '../../src/ca/watched-files.js';
import { createManualClock } from '../sources/support/manual-clock.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { createFolder } from './support/plugged-in.js';

type Name = 'key' | 'certificate';

function create(t: ExecutionContext, folder: string, clock = systemClock) {
  const changes: FileContents<Name>[] = [];
  const files = createWatchedFiles<Name>({
    files: { key: join(folder, 'key.pem'), certificate: join(folder, 'cert.pem') },
    clock,
    onChange: (contents) => changes.push(contents),
  });
  t.teardown(() => files.stop());
  return { files, changes };
}

test('files are read as a unit, also when none exists', async (t) => {
  const folder = await createFolder(t);
  await writeFile(join(folder, 'key.pem'), 'a key');
  const { files } = create(t, folder);
  t.deepEqual(await files.start(), { key: { type: 'text', text: 'a key' }, certificate: { type: 'missing' } });
  const nowhere = create(t, join(folder, 'key.pem', 'below'));
  t.deepEqual(await nowhere.files.start(), { key: { type: 'missing' }, certificate: { type: 'missing' } });
});

test('a burst of changes is read once, 100 ms after the last change', async (t) => {
  const folder = await createFolder(t);
  const clock = createManualClock();
  const { files, changes } = create(t, folder, clock);
  await files.start();
  const quiet = clock.pending;
  await writeFile(join(folder, 'key.pem'), 'one');
  await eventually('a hint', () => clock.pending > quiet);
  clock.advance(99);
  t.deepEqual(changes, []);
  await writeFile(join(folder, 'cert.pem'), 'two');
  clock.advance(1);
  await eventually('the change', () => {
    clock.advance(100);
    return changes.at(-1)?.certificate.type === 'text';
  });
  t.deepEqual(changes.at(-1), { key: { type: 'text', text: 'one' }, certificate: { type: 'text', text: 'two' } });
  t.true(changes.length <= 2);
});

test('files that are touched without a change of content cause no call', async (t) => {
  const folder = await createFolder(t);
  await writeFile(join(folder, 'key.pem'), 'one');
  const { files, changes } = create(t, folder);
  await files.start();
  await writeWhole(join(folder, 'key.pem'), 'one');
  await writeWhole(join(folder, 'cert.pem'), 'two');
  await eventually('the change', () => changes.length === 1);
  t.deepEqual(changes, [{ key: { type: 'text', text: 'one' }, certificate: { type: 'text', text: 'two' } }]);
});

test('a change without a notification is found within ten seconds', async (t) => {
  const folder = await createFolder(t);
  const elsewhere = await createFolder(t);
  const clock = createManualClock();
  const { files, changes } = create(t, join(folder, 'late'), clock);
  await files.start();
  await writeFile(join(elsewhere, 'key.pem'), 'one');
  await symlink(elsewhere, join(folder, 'late'));
  clock.advance(9_999);
  t.deepEqual(changes, []);
  clock.advance(1);
  await eventually('the change', () => changes.length === 1);
  t.deepEqual(changes[0]?.key, { type: 'text', text: 'one' });
});

test('an unreadable or too long file is reported as such', async (t) => {
  const folder = await createFolder(t);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await writeFile(key, 'x');
  await truncate(key, 1024 * 1024 + 1);
  await symlink('cert.pem', certificate);
  const { files } = create(t, folder);
  const contents = await files.start();
  t.deepEqual(contents.key, { type: 'unreadable', reason: 'it is longer than 1048576 bytes' });
  t.regex(JSON.stringify(contents.certificate), /"unreadable","reason":"ELOOP/);
  await rm(certificate);
});

test('after the stop no listener is called, and no timer is left', async (t) => {
  const folder = await createFolder(t);
  const clock = createManualClock();
  const { files, changes } = create(t, folder, clock);
  await files.start();
  await files.stop();
  await writeFile(join(folder, 'key.pem'), 'one');
  clock.advance(60_000);
  t.deepEqual([changes.length, clock.pending], [0, 0]);
});
