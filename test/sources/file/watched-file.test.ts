import { rename, symlink } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { createDefaultMeshConfig, createMeshConfigReader } from '../../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { createWatchedFile, type WatchedFileOptions } from '../../../src/sources/file/watched-file.js';
import type { SettingsCustody } from '../../../src/sources/settings/settings-custody.js';
import { SettingsRefusedError } from '../../../src/sources/settings/settings-refused-error.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createTempFolder } from '../support/temp-folder.js';

function createCustody(kept: string | undefined) {
  const calls: string[] = [];
  const custody: SettingsCustody = {
    recall: async () => {
      calls.push('recall');
      return kept;
    },
    keep: (text) => calls.push(`keep ${text}`),
    forget: () => calls.push('forget'),
    refused: () => calls.push('refused'),
  };
  return { custody, calls };
}

async function setUp(
  t: ExecutionContext,
  name = 'mesh.yaml',
  custody?: SettingsCustody,
  overrides: Partial<WatchedFileOptions<MeshConfig>> = {},
) {
  const folder = await createTempFolder();
  const logger = createRecordingLogger();
  const values: MeshConfig[] = [];
  const watched = createWatchedFile({
    file: folder.at(name),
    read: createMeshConfigReader(createSchemaCompiler()),
    defaults: createDefaultMeshConfig(),
    custody,
    logger,
    clock: systemClock,
    onChange: (value) => values.push(value),
    debounceMs: 10,
    ...overrides,
  });
  t.teardown(async () => {
    await watched.stop();
    await folder.dispose();
  });
  return { folder, watched, values, log: logger.entries };
}

test('a file that is there at the start gives the first value without an event', async (t) => {
  const { folder, watched, values } = await setUp(t);
  await folder.write('mesh.yaml', 'connectTimeout: 3s\n');
  t.is((await watched.start()).connectTimeoutMs, 3000);
  t.deepEqual(values, []);
});

test('a missing file gives defaults, and is read when it comes', async (t) => {
  const { folder, watched, values, log } = await setUp(t);
  t.deepEqual(await watched.start(), createDefaultMeshConfig());
  t.is(log[0]?.message, 'settings file does not exist, defaults are used until it does');
  await folder.write('mesh.yaml', 'proxyListenPort: 15101\n');
  await eventually('the file is read', () => values.length === 1);
  t.is(watched.current().proxyListenPort, 15101);
});

test('a field without effect is told for as long as it is in the file, whose other fields are in force', async (t) => {
  const { folder, watched, values } = await setUp(t);
  await folder.write('mesh.yaml', 'connectTimeout: 3s\nconnectTimout: 4s\n');
  t.is((await watched.start()).connectTimeoutMs, 3000);
  t.deepEqual(watched.warnings(), ['line 2: connectTimout: "4s": is not a known field; did you mean connectTimeout?']);
  t.deepEqual(watched.problems(), []);
  await folder.write('mesh.yaml', 'connectTimeout: 5s\n');
  await eventually('the file is read', () => values.length === 1);
  t.deepEqual(watched.warnings(), []);
});

test('an invalid file at the start is an error with file, lines and remedies, not the defaults', async (t) => {
  const { folder, watched, log } = await setUp(t);
  await folder.write('mesh.yaml', 'trustDomain: td\nproxyListenPort: 0\nconnectTimeout: 10\n');
  const reasons = [
    'line 2: proxyListenPort: 0: is out of range; use 1 to 65535',
    'line 3: connectTimeout: 10: is a number, not a string; put it in quotes',
  ];
  await t.throwsAsync(watched.start(), {
    instanceOf: SettingsRefusedError,
    message: `${folder.at('mesh.yaml')}: settings are refused: ${reasons.join('; ')}; correct them and start again`,
  });
  t.deepEqual(watched.problems(), reasons);
  t.deepEqual(
    log.map((entry) => entry.message),
    ['settings are refused', 'settings are refused'],
  );
});

test('a file that cannot be read at the start is an error, not the defaults', async (t) => {
  const { folder, watched } = await setUp(t);
  await folder.write('mesh.yaml/nested', '');
  await t.throwsAsync(watched.start(), { instanceOf: SettingsRefusedError, message: /is not a regular file/ });
});

test('an invalid file at the start gives the content that was in force last, until it is corrected', async (t) => {
  const { custody, calls } = createCustody('connectTimeout: 7s\n');
  const { folder, watched, values } = await setUp(t, 'mesh.yaml', custody);
  await folder.write('mesh.yaml', 'connectTimeout: 10\n');
  t.is((await watched.start()).connectTimeoutMs, 7000);
  t.is(watched.problems().length, 1);
  t.true(watched.isFound());
  await folder.write('mesh.yaml', 'connectTimeout: 8s\n');
  await eventually('the corrected file is read', () => values.length === 1);
  t.is(watched.current().connectTimeoutMs, 8000);
  t.deepEqual(watched.problems(), []);
  t.deepEqual(calls, ['refused', 'recall', 'keep connectTimeout: 8s\n']);
});

test('a kept content that cannot be used any more either is an error', async (t) => {
  const { folder, watched } = await setUp(t, 'mesh.yaml', createCustody('connectTimeout: 11\n').custody);
  await folder.write('mesh.yaml', 'connectTimeout: 10\n');
  await t.throwsAsync(watched.start(), { message: /connectTimeout: 10: is a number/ });
});

test('a missing file makes an older content be forgotten', async (t) => {
  const { custody, calls } = createCustody('connectTimeout: 7s\n');
  const { watched } = await setUp(t, 'mesh.yaml', custody);
  t.deepEqual(await watched.start(), createDefaultMeshConfig());
  t.deepEqual(calls, ['forget']);
});

test('a bad reload is ignored and reported, and the next good one counts', async (t) => {
  const { folder, watched, values } = await setUp(t);
  await folder.write('mesh.yaml', 'connectTimeout: 3s\n');
  await watched.start();
  await folder.write('mesh.yaml', 'connectTimeout: [\n');
  await eventually('the problem is noticed', () => watched.problems().length > 0);
  t.is(watched.current().connectTimeoutMs, 3000);
  await folder.write('mesh.yaml', 'connectTimeout: 4s\n');
  await eventually('the good content is read', () => values.length === 1);
  t.is(values[0]?.connectTimeoutMs, 4000);
  t.deepEqual(watched.problems(), []);
});

test('a file that is written in place is read again', async (t) => {
  const { folder, watched, values } = await setUp(t, 'mesh.yaml', undefined, { rescanMs: 600_000 });
  await folder.write('mesh.yaml', 'connectTimeout: 3s\n');
  await watched.start();
  for (const seconds of [10, 100]) {
    await folder.overwrite('mesh.yaml', `connectTimeout: ${seconds}s\n`);
    // It can be read while it is empty, too.
    await eventually('the new content is read', () => values.at(-1)?.connectTimeoutMs === seconds * 1000);
  }
  t.deepEqual(watched.problems(), []);
});

test('a file that is removed leaves its last good value', async (t) => {
  const { folder, watched, values } = await setUp(t);
  await folder.write('mesh.yaml', 'connectTimeout: 3s\n');
  await watched.start();
  await folder.remove('mesh.yaml');
  await eventually('the removal is noticed', () => watched.problems().length > 0);
  t.is(watched.current().connectTimeoutMs, 3000);
  t.deepEqual(values, []);
});

test('a comment is no change, and unknown fields are warned of by name', async (t) => {
  const { folder, watched, values, log } = await setUp(t);
  await folder.write('mesh.yaml', 'connectTimout: 3s\n');
  await watched.start();
  t.is(log[0]?.level, 'warn');
  t.is(log[0]?.fields['reason'], 'line 1: connectTimout: "3s": is not a known field; did you mean connectTimeout?');
  await folder.write('mesh.yaml', '# a comment\n');
  await folder.write('mesh.yaml', '# another\ntrustDomain: td\n');
  await eventually('the change is read', () => values.length > 0);
  t.is(values.length, 1);
  t.is(values[0]?.trustDomain, 'td');
});

test('a ConfigMap mount is followed when its ..data link is swapped', async (t) => {
  const { folder, watched, values } = await setUp(t);
  await folder.write('..1/mesh.yaml', 'connectTimeout: 3s\n');
  await symlink('..1', folder.at('..data'));
  await symlink('..data/mesh.yaml', folder.at('mesh.yaml'));
  t.is((await watched.start()).connectTimeoutMs, 3000);
  await folder.write('..2/mesh.yaml', 'connectTimeout: 4s\n');
  await symlink('..2', folder.at('..data_tmp'));
  await rename(folder.at('..data_tmp'), folder.at('..data'));
  await eventually('the new content is read', () => values.at(-1)?.connectTimeoutMs === 4000);
  t.is(watched.current().connectTimeoutMs, 4000);
});
