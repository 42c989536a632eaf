import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { RotatingFile, type RotationLimits } from '../../src/telemetry/rotating-file.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const UNLIMITED: RotationLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeDays: 0, maxBackups: 0 };

/** A rotating file in a new folder, with a manual clock. */
function openFile(limits: Partial<RotationLimits>, prepare: (folder: string) => void = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'rotating-'));
  prepare(folder);
  const clock = { ms: Date.parse('2030-01-01T00:00:00.000Z') };
  const errors: unknown[] = [];
  const path = join(folder, 'mesh.log');
  const file = new RotatingFile(
    path,
    { ...UNLIMITED, ...limits },
    { now: () => new Date(clock.ms), onError: (error) => errors.push(error) },
  );
  return {
    file,
    clock,
    errors,
    folder,
    current: () => readFileSync(path, 'utf8'),
    backups: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('mesh-'))
        .sort(),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    end: async () => {
      await file.close();
      rmSync(folder, { recursive: true });
    },
  };
}

test('a line that would make the file too large goes into a new file as a whole', async (t) => {
  const { file, current, backups, read, errors, end } = openFile({ maxBytes: 10 });
  file.write('12345\n');
  file.write('789\n');
  t.deepEqual(backups(), []);
  file.write('next\n');
  t.deepEqual(backups(), ['mesh-2030-01-01T00-00-00.000Z.log']);
  t.is(read('mesh-2030-01-01T00-00-00.000Z.log'), '12345\n789\n');
  t.is(current(), 'next\n');
  t.deepEqual(errors, []);
  await end();
});

test('a line larger than the limit is written whole, and an empty file is never rotated', async (t) => {
  const { file, current, backups, end } = openFile({ maxBytes: 3 });
  file.write('long line\n');
  t.is(current(), 'long line\n');
  t.deepEqual(backups(), []);
  await end();
});

test('bytes count, not characters', async (t) => {
  const { file, backups, end } = openFile({ maxBytes: 10 });
  file.write('ääää\n');
  file.write('a\n');
  t.is(backups().length, 1);
  await end();
});

test('rotations within one millisecond lose no backup', async (t) => {
  const { file, backups, read, current, end } = openFile({ maxBytes: 2 });
  for (const line of ['1\n', '2\n', '3\n', '4\n']) {
    file.write(line);
  }
  t.is(backups().length, 3);
  t.deepEqual(backups().map(read).sort(), ['1\n', '2\n', '3\n']);
  t.is(current(), '4\n');
  await end();
});

test('only the newest backups are kept', async (t) => {
  const { file, clock, backups, read, end } = openFile({ maxBytes: 2, maxBackups: 2 });
  for (const line of ['1\n', '2\n', '3\n', '4\n', '5\n']) {
    file.write(line);
    clock.ms += 1000;
  }
  t.deepEqual(backups().map(read), ['3\n', '4\n']);
  await end();
});

test('the newest backups are kept also among those of one millisecond', async (t) => {
  const { file, backups, read, end } = openFile({ maxBytes: 2, maxBackups: 1 });
  for (let line = 0; line < 13; line++) {
    file.write(`${line % 10}\n`);
  }
  t.deepEqual(backups().map(read), ['1\n']);
  await end();
});

test('the file is rotated when it is older than the limit', async (t) => {
  const { file, clock, backups, current, end } = openFile({ maxAgeDays: 2 });
  file.write('old\n');
  clock.ms += 2 * DAY_MS;
  file.write('still\n');
  t.deepEqual(backups(), []);
  clock.ms += 1;
  file.write('new\n');
  t.is(backups().length, 1);
  t.is(current(), 'new\n');
  await end();
});

test('backups older than the limit are deleted at start and at rotation, and other files stay', async (t) => {
  const old = 'mesh-2029-12-01T00-00-00.000Z.log';
  const recent = 'mesh-2029-12-31T00-00-00.000Z.log';
  const foreign = ['mesh-notes.log', 'mesh-2001-01-01T00-00-00.000Z.txt', 'other-2001-01-01T00-00-00.000Z.log'];
  const opened = openFile({ maxBytes: 2, maxAgeDays: 3 }, (folder) => {
    for (const name of [old, recent, ...foreign]) {
      writeFileSync(join(folder, name), name);
    }
  });
  t.deepEqual(readdirSync(opened.folder).sort(), ['mesh.log', recent, ...foreign].sort());
  opened.clock.ms += 2.5 * DAY_MS;
  opened.file.write('1\n');
  opened.file.write('2\n');
  t.false(readdirSync(opened.folder).includes(recent));
  t.true(foreign.every((name) => readdirSync(opened.folder).includes(name)));
  await opened.end();
});

test('zero means no limit', async (t) => {
  const { file, clock, backups, end } = openFile({ maxBytes: 2, maxAgeDays: 0, maxBackups: 0 });
  for (let line = 0; line < 20; line++) {
    file.write('x\n');
    clock.ms += 400 * DAY_MS;
  }
  t.is(backups().length, 19);
  await end();
});

test('an existing file is continued, and its size counts', async (t) => {
  const { file, backups, current, end } = openFile({ maxBytes: 10 }, (folder) =>
    writeFileSync(join(folder, 'mesh.log'), 'before\n'),
  );
  file.write('a\n');
  t.is(current(), 'before\na\n');
  file.write('bc\n');
  t.is(backups().length, 1);
  t.is(current(), 'bc\n');
  await end();
});

test('a missing folder is created; a path that is a folder is an error', async (t) => {
  const { folder, end } = openFile({});
  const environment = { now: () => new Date(), onError: () => undefined };
  const nested = new RotatingFile(join(folder, 'a', 'b.log'), UNLIMITED, environment);
  nested.write('x\n');
  await nested.close();
  t.is(readFileSync(join(folder, 'a', 'b.log'), 'utf8'), 'x\n');
  t.throws(() => new RotatingFile(join(folder, 'a'), UNLIMITED, environment), { code: 'EISDIR' });
  await end();
});

test('a write failure is reported, not thrown, and writing continues when it is possible again', async (t) => {
  const { file, errors, folder, current, end } = openFile({ maxBytes: 2 });
  file.write('1\n');
  rmSync(folder, { recursive: true });
  file.write('2\n');
  t.true(errors.length > 0);
  const { mkdirSync } = await import('node:fs');
  mkdirSync(folder);
  file.write('3\n');
  t.is(current(), '3\n');
  await end();
});
