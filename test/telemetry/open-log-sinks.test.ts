import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createLogging } from '../../src/telemetry/logging.js';
import { openLogSinks } from '../../src/telemetry/open-log-sinks.js';
import { loggingOptions } from './logging-options.js';

const now = () => new Date('2030-01-01T00:00:00Z');

test('lines go to every file and to the rotating file, in order and at once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  const paths = [join(folder, 'deep', 'a.log'), join(folder, 'b.log')];
  const logRotate = join(folder, 'rotating.log');
  const options = loggingOptions({ logTarget: [...paths, ...paths], logRotate });
  const logging = createLogging(options, { now, sinks: openLogSinks(options, now) });
  for (let line = 0; line < 1000; line++) {
    logging.scope('ads').info({ line }, 'text');
  }
  for (const path of [...paths, logRotate]) {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    t.deepEqual(
      lines.map((line) => JSON.parse(line).line),
      Array.from({ length: 1000 }, (_, index) => index),
    );
  }
  await logging.close();
  rmSync(folder, { recursive: true });
});

test('megabytes are of 2^20 bytes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  const logRotate = join(folder, 'rotating.log');
  const [sink] = openLogSinks(loggingOptions({ logRotate, logRotateMaxSizeMegabytes: 1 }), now);
  sink?.write('x'.repeat(2 ** 20 - 2));
  sink?.write('y\n');
  t.is(readFileSync(logRotate).length, 2 ** 20);
  sink?.write('z\n');
  t.is(readFileSync(logRotate, 'utf8'), 'z\n');
  await sink?.close();
  rmSync(folder, { recursive: true });
});

test('a target that cannot be opened is named with its flag and the reason', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  t.throws(() => openLogSinks(loggingOptions({ logTarget: [folder] }), now), {
    message: /^--log_target must be .*EISDIR/,
  });
  t.throws(() => openLogSinks(loggingOptions({ logRotate: folder }), now), {
    message: /^--log_rotate must be .*EISDIR/,
  });
  rmSync(folder, { recursive: true });
});

test('a full disk neither throws nor delays the end', async (t) => {
  const options = loggingOptions({ logTarget: ['/dev/full'] });
  const logging = createLogging(options, { now, sinks: openLogSinks(options, now) });
  logging.scope('ads').info({}, 'lost');
  await t.notThrowsAsync(logging.close());
});
