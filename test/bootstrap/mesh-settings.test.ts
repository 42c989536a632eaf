import { rm } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.js';
import { createClusterConnection } from '../../src/bootstrap/cluster-connection.js';
import { createMeshSettings } from '../../src/bootstrap/mesh-settings.js';
import type { Options } from '../../src/bootstrap/options.js';
import { createSettingsKeeper } from '../../src/bootstrap/settings-keeper.js';
import type { MeshConfig } from '../../src/config/mesh/mesh-config.js';
import type { SettingsFields } from '../../src/config/settings-reader.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { type ApiServer, READERS, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../counterparts/kubernetes/kubernetes-client.js';
import { untilGranted } from '../counterparts/kubernetes/until-granted.js';
import { namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { createRecordingLogger } from '../sources/support/recording-logger.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';

const { available: binary } = requireKubernetes();
// Without an API server `npm test` says why it is skipped; with REQUIRE_COUNTERPARTS=1, as in .ci/run, that is an error.
const it = binary === undefined ? test.skip : test;
const RBAC = 'rbac.authorization.k8s.io';
const SOURCES = /^settings (are read from|do not exist)/;

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
  });
  test.after.always(() => api?.close());
}

const configMap = (namespace: string, name: string, data: Readonly<Record<string, string>>): KubernetesManifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

const KEPT = 'mesh-last-good-settings';

/** Settings that are read by a user who may read one ConfigMap, by its name, and nothing else but keep contents. */
async function setUp(
  t: ExecutionContext,
  number: number,
  { revision = '', mayRead = 'mesh', defaults = {} as SettingsFields } = {},
) {
  const user = READERS[number] ?? '';
  const namespace = `system-${number}`;
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [mayRead], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [KEPT], verbs: ['get', 'patch'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  ];
  await api.client.applyAll([
    namespaceManifest(namespace),
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: user, namespace }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: user, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
      subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
    },
  ]);
  await untilGranted(api, user, { verb: 'list', group: '', resource: 'configmaps', name: mayRead, namespace });
  return await begin(t, { user, namespace, revision, defaults });
}

/** One process's life. */
async function begin(
  t: ExecutionContext,
  {
    user,
    namespace,
    revision = '',
    defaults = {},
  }: {
    readonly user: string;
    readonly namespace: string;
    readonly revision?: string;
    readonly defaults?: SettingsFields;
  },
) {
  const folder = await createTempFolder();
  const logger = createRecordingLogger();
  const registry = new Registry();
  const connection = createClusterConnection({
    access: { orchConfig: await api.kubeconfigOf(user), environment: {} },
    userAgent: 'navigator-discovery/test',
    clock: systemClock,
  });
  const keeper = createSettingsKeeper({
    ...{ connection, namespace, revision, logger, clock: systemClock },
    metrics: createMetrics(registry),
  });
  const timeouts: number[] = [];
  const networks: string[][] = [];
  const options = {
    discovery: { namespace, meshConfigFile: folder.at('mesh'), networksConfigFile: folder.at('meshNetworks') },
    environment: { revision, navMeshConfigDefaults: defaults },
    explicit: new Set(),
  } as unknown as Options;
  const meshes: MeshConfig[] = [];
  const settings = createMeshSettings(options, {
    connection,
    keeper,
    logger,
    clock: systemClock,
    onMesh: (mesh) => {
      meshes.push(mesh);
      timeouts.push(mesh.connectTimeoutMs);
    },
    onNetworks: (next) => networks.push([...next.networks.keys()]),
  });
  t.teardown(async () => {
    keeper.stop();
    await settings.stop();
    connection.close();
    await folder.dispose();
  });
  const sources = () => logger.entries.filter(({ message }) => SOURCES.test(message));
  const kept = async (): Promise<unknown> => {
    const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/configmaps/${KEPT}`);
    return (body as { data?: unknown }).data;
  };
  const metrics = (): Promise<string> => registry.metrics();
  return { user, namespace, folder, settings, meshes, timeouts, networks, sources, kept, logger, metrics };
}

it('without files the ConfigMap is read and watched, with the right to it alone', async (t) => {
  const { namespace, settings, timeouts, networks, sources } = await setUp(t, 0);
  const north =
    'networks: { north: { endpoints: [{ fromCidr: 10.0.0.0/8 }], gateways: [{ address: 192.0.2.1, port: 15443 }] } }';
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 3s' }));
  t.is((await settings.start()).mesh.connectTimeoutMs, 3000);
  t.deepEqual(
    sources().map(({ fields, message }) => [fields['setting'], message]),
    [
      ['mesh', 'settings are read from a ConfigMap'],
      ['meshNetworks', 'settings do not exist, defaults are used until they do'],
    ],
  );
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 4s', meshNetworks: north }));
  await eventually('both are in force', () => timeouts.includes(4000) && networks.length === 1);
  t.deepEqual(networks, [['north']]);

  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: nonsense', meshNetworks: north }));
  await eventually('it is told', () => settings.problems().length > 0);
  t.like(settings.problems()[0], { object: `ConfigMap/${namespace}/mesh`, field: 'data.mesh' });
  t.regex(settings.problems()[0]?.reason ?? '', /^line 1: connectTimeout: "nonsense"/);
  await api.client.delete(configMap(namespace, 'mesh', {}));
  await eventually('it is told', () => settings.problems().length === 2);
  t.deepEqual(timeouts, [4000]);
});

it('defaults of the installation are in force for each field that users do not set', async (t) => {
  const defaults = { mixerCheckServer: 'embedded', defaultConfig: { discoveryAddress: 'meshd.example:15012' } };
  const { namespace, settings, meshes } = await setUp(t, 8, { defaults });
  const first = (await settings.start()).mesh;
  t.like(first, {
    policy: { mixerCheckServer: 'embedded' },
    defaultConfig: { discoveryAddress: 'meshd.example:15012' },
  });
  const mesh = 'defaultConfig: { concurrency: 3 }\nmixerReportServer: embedded';
  await api.client.apply(configMap(namespace, 'mesh', { mesh }));
  await eventually('the ConfigMap is in force', () => meshes.length === 1);
  t.like(meshes[0], {
    policy: { mixerCheckServer: 'embedded', mixerReportServer: 'embedded' },
    defaultConfig: { discoveryAddress: 'meshd.example:15012', concurrency: 3 },
  });
});

it('each revision has a ConfigMap of its own', async (t) => {
  const { namespace, settings } = await setUp(t, 1, { revision: 'canary', mayRead: 'mesh-canary' });
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 3s' }));
  await api.client.apply(configMap(namespace, 'mesh-canary', { mesh: 'connectTimeout: 5s' }));
  t.is((await settings.start()).mesh.connectTimeoutMs, 5000);
});

it('a file wins, also one that comes later, once it is valid', async (t) => {
  const { namespace, folder, settings, timeouts, sources } = await setUp(t, 2);
  await folder.write('meshNetworks', 'networks: {}');
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 3s' }));
  t.is((await settings.start()).mesh.connectTimeoutMs, 3000);
  t.is(sources()[1]?.message, 'settings are read from a file');
  await folder.write('mesh', 'connectTimeout: [');
  await eventually('it is told', () => settings.problems().some(({ file }) => file !== undefined));
  t.deepEqual(timeouts, []);
  // Equal to the defaults, and not to what is in force.
  await folder.write('mesh', 'connectTimeout: 10s');
  await eventually('the file is in force', () => timeouts[0] === 10_000);
  t.is(sources().at(-1)?.message, 'settings are read from a file now');
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: nonsense' }));
  await rm(folder.at('mesh'));
  await folder.write('mesh', 'connectTimeout: 6s');
  await eventually('the file goes on to be in force', () => timeouts.at(-1) === 6000);
  t.deepEqual(settings.problems(), []);
});

it('a ConfigMap that may not be read ends the start, and the error names the missing right', async (t) => {
  const { settings } = await setUp(t, 3, { mayRead: 'something-else' });
  await t.throwsAsync(settings.start(), {
    name: 'SettingsRefusedError',
    message:
      /^ConfigMap system-3\/mesh: data\.mesh: .*may not be read: configmaps "mesh" is forbidden: User "reader-3".*; let the service account of this process list and watch it/,
  });
});

it('a bad value at the first start ends it, with object, key, line and remedy', async (t) => {
  const { namespace, settings } = await setUp(t, 4);
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'trustDomain: td\nconnectTimeout: 10\n' }));
  await t.throwsAsync(settings.start(), {
    name: 'SettingsRefusedError',
    message:
      'ConfigMap system-4/mesh: data.mesh: settings are refused: line 2: connectTimeout: 10: is a number, not a string; put it in quotes; correct them and start again',
  });
});

it('a bad value at a later start leaves the last good copy in force, which the cluster has', async (t) => {
  const first = await setUp(t, 5);
  const { namespace } = first;
  const networks =
    'networks: { north: { endpoints: [{ fromCidr: 10.0.0.0/8 }], gateways: [{ address: 192.0.2.1, port: 1 }] } }';
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 3s', meshNetworks: networks }));
  await first.settings.start();
  await eventually('both are kept', async () => Object.keys((await first.kept()) ?? {}).length === 2);
  t.deepEqual(await first.kept(), { mesh: 'connectTimeout: 3s', meshNetworks: networks });
  // Even when it is refused while the first process runs.
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 10', meshNetworks: 'networks: 1' }));
  await eventually('both are refused', () => first.settings.problems().length === 2);

  const second = await begin(t, first);
  const started = await second.settings.start();
  t.is(started.mesh.connectTimeoutMs, 3000);
  t.deepEqual([...started.networks.networks.keys()], ['north']);
  t.deepEqual(
    second.settings.problems().map(({ object, field }) => [object, field]),
    [
      ['ConfigMap/system-5/mesh', 'data.mesh'],
      ['ConfigMap/system-5/mesh', 'data.meshNetworks'],
    ],
  );
  t.true((await second.metrics()).includes('nav_refused_settings_total{setting="mesh"} 1'));
  t.true(
    second.logger.entries.some(
      ({ message }) => message === 'settings are refused, the last content that could be used is in force',
    ),
  );
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 4s', meshNetworks: networks }));
  await eventually('the correction is in force', () => second.timeouts.at(-1) === 4000);
  await eventually('and kept', async () => JSON.stringify(await second.kept()).includes('4s'));
  t.deepEqual(second.settings.problems(), []);
});

it('a start without settings forgets the last good copy, so that it does not come back later', async (t) => {
  const first = await setUp(t, 6);
  const { namespace } = first;
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 3s' }));
  await first.settings.start();
  await eventually('it is kept', async () => Object.keys((await first.kept()) ?? {}).length === 1);
  await api.client.delete(configMap(namespace, 'mesh', {}));
  const second = await begin(t, first);
  t.is((await second.settings.start()).mesh.connectTimeoutMs, 10_000);
  await eventually('it is forgotten', async () => Object.keys((await second.kept()) ?? {}).length === 0);
  await api.client.apply(configMap(namespace, 'mesh', { mesh: 'connectTimeout: 10' }));
  const third = await begin(t, first);
  await t.throwsAsync(third.settings.start(), { message: /connectTimeout: 10: is a number/ });
});

it('a bad file at a start leaves the last good copy of a file in force', async (t) => {
  const first = await setUp(t, 7);
  await first.folder.write('mesh', 'connectTimeout: 3s');
  await first.settings.start();
  await eventually('it is kept', async () => Object.keys((await first.kept()) ?? {}).length === 1);
  const second = await begin(t, first);
  await second.folder.write('mesh', 'connectTimeout: 10');
  t.is((await second.settings.start()).mesh.connectTimeoutMs, 3000);
  t.is(second.settings.problems()[0]?.file, second.folder.at('mesh'));
});
