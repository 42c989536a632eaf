import test, { type ExecutionContext } from 'ava';
import { createDefaultMeshConfig, createMeshConfigReader } from '../../../src/config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../../../src/config/mesh/read-mesh-networks.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { ApiError } from '../../../src/kubernetes/client/api-error.js';
import type { ListWatcher, WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import { createWatchedConfigMap } from '../../../src/sources/settings/watched-config-map.js';
import { createRecordingLogger } from '../support/recording-logger.js';

/** A watcher whose lists come from the test. */
function createFakeWatcher() {
  let list: WatchedList | undefined;
  let isStopped = false;
  const watcher: ListWatcher = {
    watch: (watched) => {
      list = watched;
    },
    stop: async () => {
      isStopped = true;
    },
  };
  const watched = (): WatchedList => {
    if (list === undefined) throw new Error('nothing is watched');
    return list;
  };
  const raw = (name: string, data: unknown) => ({
    metadata: { name, namespace: 'mesh-system', resourceVersion: '1' },
    data,
  });
  return {
    watcher,
    watched,
    isStopped: () => isStopped,
    /** A whole list; ConfigMap mesh has this data, undefined for no such ConfigMap. */
    list: (data: unknown) => {
      const replacement = watched().sink.replace();
      replacement.add(data === undefined ? [] : [raw('mesh', data)]);
      replacement.commit();
    },
    change: (data: unknown, name = 'mesh') => watched().sink.apply([{ type: 'MODIFIED', object: raw(name, data) }]),
    remove: () => watched().sink.apply([{ type: 'DELETED', object: raw('mesh', {}) }]),
  };
}

function setUp(t: ExecutionContext) {
  const logger = createRecordingLogger();
  const cluster = createFakeWatcher();
  const configMap = createWatchedConfigMap({
    namespace: 'mesh-system',
    name: 'mesh',
    createWatcher: () => Promise.resolve(cluster.watcher),
    logger,
  });
  t.teardown(() => configMap.stop());
  const compiler = createSchemaCompiler();
  const timeouts: number[] = [];
  const mesh = configMap.entry({
    key: 'mesh',
    read: createMeshConfigReader(compiler),
    defaults: createDefaultMeshConfig(),
    onChange: ({ connectTimeoutMs }) => timeouts.push(connectTimeoutMs),
  });
  const networks = configMap.entry({
    key: 'meshNetworks',
    read: createMeshNetworksReader(compiler),
    defaults: createDefaultMeshNetworks(),
    onChange: () => t.fail('nobody changes the networks'),
  });
  /** Starts with what the first list has. */
  const start = async (data: unknown): Promise<void> => {
    const started = configMap.start();
    await new Promise(setImmediate);
    cluster.list(data);
    await started;
  };
  return {
    cluster,
    configMap,
    mesh,
    networks,
    timeouts,
    start,
    messages: () => logger.entries.map(({ message }) => message),
  };
}

const GONE = 'does not exist any more; create it again, or restart for the defaults';

test('one ConfigMap is watched by its name, and its keys are the first values', async (t) => {
  const { cluster, mesh, networks, timeouts, start } = setUp(t);
  await start({ mesh: 'connectTimeout: 3s\n' });
  t.like(cluster.watched(), { namespace: 'mesh-system', selector: { fieldSelector: 'metadata.name=mesh' } });
  t.is(cluster.watched().definition.plural, 'configmaps');
  t.is(mesh.current().connectTimeoutMs, 3000);
  t.deepEqual([mesh.exists(), networks.exists()], [true, false]);
  t.deepEqual(networks.current(), createDefaultMeshNetworks());
  t.deepEqual(timeouts, []);
});

test('a change is taken over, the same content again is not, and other ConfigMaps do not count', async (t) => {
  const { cluster, timeouts, start } = setUp(t);
  await start({ mesh: 'connectTimeout: 3s\n' });
  cluster.change({ mesh: 'connectTimeout: 4s\n' });
  cluster.change({ mesh: 'connectTimeout: 4s # still\n' });
  cluster.list({ mesh: 'connectTimeout: 4s\n' });
  cluster.change({ mesh: 'connectTimeout: 9s\n' }, 'other');
  t.deepEqual(timeouts, [4000]);
});

test('a bad content is told and ignored, and the next good one counts', async (t) => {
  const { cluster, mesh, timeouts, start, messages } = setUp(t);
  await start({ mesh: 'connectTimeout: 3s\n' });
  cluster.change({ mesh: 'connectTimeout: 10\n' });
  t.deepEqual(mesh.problems(), ['line 1: connectTimeout: 10: is a number, not a string; put it in quotes']);
  t.is(mesh.current().connectTimeoutMs, 3000);
  t.is(messages().at(-1), 'settings are refused, their last good content stays in force');
  cluster.change({ mesh: 'connectTimeout: 5s\n' });
  t.deepEqual(mesh.problems(), []);
  t.deepEqual(timeouts, [5000]);
});

for (const [what, remove] of [
  ['a deleted ConfigMap', (cluster: ReturnType<typeof createFakeWatcher>) => cluster.remove()],
  ['one that a new list lacks', (cluster: ReturnType<typeof createFakeWatcher>) => cluster.list(undefined)],
  ['a removed key', (cluster: ReturnType<typeof createFakeWatcher>) => cluster.change({})],
] as const) {
  test(`${what} leaves its last good content in force, and says so until it is back`, async (t) => {
    const { cluster, mesh, networks, timeouts, start } = setUp(t);
    await start({ mesh: 'connectTimeout: 3s\n' });
    remove(cluster);
    t.is(mesh.current().connectTimeoutMs, 3000);
    t.deepEqual(mesh.problems(), [GONE]);
    t.deepEqual(networks.problems(), []);
    cluster.list({ mesh: 'connectTimeout: 3s\n' });
    t.deepEqual(mesh.problems(), []);
    t.deepEqual(timeouts, []);
  });
}

test('without the ConfigMap there are defaults until it comes', async (t) => {
  const { cluster, mesh, timeouts, start } = setUp(t);
  await start(undefined);
  t.deepEqual([mesh.current(), mesh.exists(), mesh.problems()], [createDefaultMeshConfig(), false, []]);
  cluster.change({ mesh: 'connectTimeout: 3s\n' });
  t.deepEqual(timeouts, [3000]);
});

test('one that may not be read does not hold up the start, is told of, and read as soon as it may be', async (t) => {
  const { cluster, configMap, mesh, timeouts } = setUp(t);
  const started = configMap.start();
  await new Promise(setImmediate);
  const { onState } = cluster.watched();
  onState?.({ type: 'failing', err: new Error('not yet') });
  const err = new ApiError(403, { message: 'configmaps "mesh" is forbidden' }, undefined);
  onState?.({ type: 'forbidden', verb: 'list', err });
  await started;
  t.regex(mesh.problems().join(), /^may not be read: .*configmaps "mesh" is forbidden/);
  onState?.({ type: 'synced' });
  cluster.list({ mesh: 'connectTimeout: 3s\n' });
  t.deepEqual(mesh.problems(), []);
  t.deepEqual(timeouts, [3000]);
});

test('a stop ends a start that waits for an API server', async (t) => {
  const { cluster, configMap, mesh } = setUp(t);
  const started = configMap.start();
  await new Promise(setImmediate);
  await configMap.stop();
  await started;
  t.true(cluster.isStopped());
  t.deepEqual(mesh.current(), createDefaultMeshConfig());
});
