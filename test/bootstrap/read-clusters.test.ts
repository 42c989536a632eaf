import test from 'ava';
import { Registry } from 'prom-client';
import type { ClusterConnection } from '../../src/bootstrap/cluster-connection.js';
import { createRemoteClusterReader } from '../../src/bootstrap/read-clusters.js';
import { parseOptions } from '../../src/cli/parse-options.js';
import { createKindRegistry } from '../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../src/config/mesh-domain.js';
import { ApiError } from '../../src/kubernetes/client/api-error.js';
import type { WatchedList } from '../../src/kubernetes/watch/list-watcher.js';
import { readBuildInfo } from '../../src/telemetry/build-info.js';
import { createLogging } from '../../src/telemetry/logging.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createManualClock } from '../sources/support/manual-clock.js';

function createRig() {
  const options = parseOptions(new Map(), {});
  const clock = createManualClock();
  const lines: string[] = [];
  const logging = createLogging(options.common, {
    now: clock.now,
    sinks: [{ colored: false, write: (line) => void lines.push(line), close: async () => undefined }],
  });
  const lists: WatchedList[] = [];
  const connection: ClusterConnection = {
    open: async () => ({
      send: () => Promise.reject(new Error('nothing is sent here')),
      createWatcher: () => ({ watch: (list) => void lists.push(list), stop: async () => undefined }),
    }),
    close: () => undefined,
  };
  const parts = {
    kinds: createKindRegistry(DEFAULT_MESH_DOMAIN),
    metrics: createMetrics(new Registry()),
    build: readBuildInfo(),
    logging,
    clock,
    processEnvironment: {},
  };
  const reader = createRemoteClusterReader(options, parts, connection, []);
  return { reader, clock, lists, lines };
}

test('the secrets that register clusters are those of one namespace with the label', async (t) => {
  const { reader, lists } = createRig();
  await reader.start(() => undefined);
  t.is(lists.length, 1);
  t.like(lists[0], { namespace: 'mesh-system', selector: { labelSelector: 'mesh/multiCluster=true' } });
  t.is(lists[0]?.definition.plural, 'secrets');
  await reader.stop();
});

test('a start waits ten seconds for secrets that do not come, and not longer', async (t) => {
  const { reader, clock, lines } = createRig();
  await reader.start(() => undefined);
  let isSettled = false;
  const settled = reader.settled().then(() => {
    isSettled = true;
  });
  clock.advance(9_999);
  await Promise.resolve();
  t.false(isSettled);
  clock.advance(1);
  await settled;
  t.true(lines.some((line) => line.includes('starting without some remote clusters')));
  await reader.stop();
});

test('a start does not wait where there are no secrets, or where they may not be read', async (t) => {
  for (const state of [
    { type: 'synced' },
    { type: 'forbidden', verb: 'list', err: new ApiError(403, { message: 'secrets is forbidden' }) },
  ] as const) {
    const { reader, clock, lists } = createRig();
    await reader.start(() => undefined);
    lists[0]?.onState?.({ type: 'failing', err: new Error('not yet') });
    lists[0]?.onState?.(state);
    await reader.settled();
    t.is(clock.pending, 0, 'nothing is left to wait for');
    const reasons = reader.problems().map(({ reason }) => reason);
    t.deepEqual(reasons, state.type === 'synced' ? [] : ['no remote cluster is read: secrets is forbidden']);
    lists[0]?.onState?.({ type: 'synced' });
    t.deepEqual(reader.problems(), []);
    await reader.stop();
  }
});

test('a stop ends the wait of a start', async (t) => {
  const { reader, clock } = createRig();
  await reader.start(() => undefined);
  const settled = reader.settled();
  await reader.stop();
  await settled;
  t.is(clock.pending, 0);
});
