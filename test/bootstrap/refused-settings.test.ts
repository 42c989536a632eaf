import test from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { createMountedFrom } from '../../src/bootstrap/settings-file.js';
import { createDefaultMeshConfig, createMeshConfigReader } from '../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../src/config/schema/schema-reader.js';
import { createWatchedFile } from '../../src/sources/file/watched-file.js';
import { createRecordingLogger } from '../sources/support/recording-logger.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { startPolicyBinary } from './support/policy-process.js';
import { startServer } from './support/running-server.js';
import { startServerProcess } from './support/server-process.js';

const FILES = [
  ['--meshConfig', 'trustDomain: td\nconnectTimeout: 10\n', 'line 2: connectTimeout: 10: is a number, not a string'],
  ['--networksConfig', 'networks: 1\n', 'line 1: networks: 1: is a number'],
  [
    '--policyConfig',
    'quotas:\n- name: requests\n  maxAmount: many\n  validDuration: 1s\n',
    'line 3: quotas[0].maxAmount: "many"',
  ],
] as const;

for (const [flag, content, reason] of FILES) {
  test.serial(
    `${flag} with a bad value ends the start with 1, and the message has file, line and remedy`,
    async (t) => {
      const folder = await createTempFolder();
      t.teardown(() => folder.dispose());
      await folder.write('settings.yaml', content);
      const file = folder.at('settings.yaml');
      const server = startServerProcess(t, ['--configDir', 'samples/mesh', flag, file]);
      t.deepEqual(await server.ended(), { code: 1, signal: null });
      const told = server.process.lines.find((line) => line.startsWith('navigator-discovery: '));
      t.true(told?.includes(`${file}: settings are refused: ${reason}`), server.process.tail());
      t.regex(told ?? '', /; correct them and start again$/);
      t.false(server.log().some(({ msg }) => msg === 'discovery server is ready'));
    },
  );
}

for (const [file, place] of [
  ['/etc/mesh/config/mesh', 'ConfigMap/mesh-system/mesh data.mesh'],
  ['/etc/mesh/config/meshNetworks', 'ConfigMap/mesh-system/mesh data.meshNetworks'],
  ['/etc/mesh/config/policy', 'ConfigMap/mesh-system/mesh-policy data.policy'],
  ['/var/lib/mesh/inject/values', 'ConfigMap/mesh-system/mesh-sidecar-injector data.values'],
  ['/var/lib/mesh/inject-defaults/config', 'ConfigMap/mesh-system/mesh-sidecar-injector-defaults data.config'],
  ['/home/me/mesh.yaml', undefined],
] as const) {
  test(`in a pod, ${file} is named by ${place ?? 'the file'}`, (t) => {
    const namespace = 'mesh-system';
    const found = createMountedFrom({ podName: 'meshd-0', namespace, revision: 'default' })(file);
    t.is(found && `${found.object} ${found.field}`, place);
    const canary = createMountedFrom({ podName: 'meshd-0', namespace, revision: 'canary' })(file);
    t.is(canary?.object, found && `${found.object}-canary`);
    t.is(createMountedFrom({ podName: '', namespace, revision: '' })(file), undefined, 'outside of a pod');
  });
}

test('a setting that is refused in a pod is told of its ConfigMap', async (t) => {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  const file = folder.at('mesh');
  const logger = createRecordingLogger();
  const mountedFrom = { object: 'ConfigMap/mesh-system/mesh', field: 'data.mesh' };
  const watched = createWatchedFile({
    file,
    mountedFrom,
    read: createMeshConfigReader(createSchemaCompiler()),
    defaults: createDefaultMeshConfig(),
    logger,
    clock: systemClock,
    onChange: () => undefined,
  });
  t.teardown(() => watched.stop());
  await folder.write('mesh', FILES[0][1]);
  const error = await t.throwsAsync(watched.start(), { name: 'SettingsRefusedError' });
  t.true(error?.message.startsWith(`ConfigMap mesh-system/mesh: data.mesh, the file ${file}: settings are refused`));
  t.like(logger.entries.find(({ level }) => level === 'error')?.fields, { ...mountedFrom, file });
});

test.serial('navigator-policy ends its start in the same way', async (t) => {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  const [, content, reason] = FILES[2];
  await folder.write('settings.yaml', content);
  const file = folder.at('settings.yaml');
  const server = startPolicyBinary(t, ['--discoveryAddress', '127.0.0.1:1', '--policyConfig', file]);
  t.deepEqual(await server.exited, { code: 1, signal: null });
  t.true(
    server.lines.some((line) => line.startsWith(`navigator-policy: ${file}: settings are refused: ${reason}`)),
    server.tail(),
  );
});

test('a value that becomes bad is counted and reported with its remedy, and the former value stays in force', async (t) => {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('policy.yaml', 'quotas:\n- { name: requests, maxAmount: 5, validDuration: 1s }\n');
  const server = await startServer(t, { flags: ['--policyConfig', folder.at('policy.yaml')] });
  t.deepEqual(await server.http.family('nav_refused_settings_total'), []);
  await folder.write('policy.yaml', FILES[2][1]);
  const problems = async () => (await server.http.get('/debug/config_problems')).body;
  await eventually('it is told', async () => (await problems()).includes('maxAmount: \\"many\\"'));
  t.is(await server.http.metric('nav_refused_settings_total{setting="policyConfig"}'), 1);
  t.is(server.logged('settings are refused, their last good content stays in force').length, 1);
});
