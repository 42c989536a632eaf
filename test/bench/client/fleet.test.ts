import test from 'ava';
import { BenchError } from '../../../bench/cli/bench-error.js';
import { Fleet } from '../../../bench/client/fleet.js';
import { buildSidecarIdentities } from '../../../bench/client/sidecar-identity.js';
import { buildEndpointChanges } from '../../../bench/mesh/mesh-change.js';
import { buildMeshServices } from '../../../bench/mesh/mesh-shape.js';
import { awaitPhase } from '../../../bench/run/await-phase.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { findFreePorts } from '../../counterparts/free-ports.js';
import { eventually } from '../../support/eventually.js';
import { startFakeDeltaServer } from '../connections/fake-delta-server.js';
import { startFakeAdsServer } from '../run/fake-ads-server.js';

const SERVICES = buildMeshServices({ services: 10, endpointsPerService: 2, namespaces: 2 });
const never = new Promise<never>(() => {});

test('sidecars are spread over the namespaces and have addresses of their services', (t) => {
  const identities = buildSidecarIdentities(SERVICES, 25);
  t.is(identities[3]?.id, 'sidecar~10.1.0.7~pod-3.ns-1~ns-1.svc.cluster.local');
  t.is(identities[13]?.id, 'sidecar~10.1.0.8~pod-13.ns-1~ns-1.svc.cluster.local');
  t.is(new Set(identities.map(({ id }) => id)).size, 25);
});

test('all sidecars on demand but the first say so in their metadata', (t) => {
  const identities = buildSidecarIdentities(SERVICES, 3, true);
  t.deepEqual(
    identities.map(({ metadata }) => metadata['ON_DEMAND']),
    [undefined, 'true', 'true'],
  );
});

test('what clients on demand get of a change is counted, and only the witness is waited for', async (t) => {
  const server = await startFakeAdsServer(SERVICES);
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 3, true), 2, { onDemand: true });
  t.teardown(async () => {
    server.stop();
    await fleet.stop();
  });
  const wait = { what: 'a phase', timeoutMs: 60_000, progress: () => {} };
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  await awaitPhase(fleet, never, wait);
  t.is((await fleet.collect()).unseenBytes, undefined);

  const [change] = buildEndpointChanges(SERVICES, 1);
  if (change === undefined) return t.fail('no change was built');
  await fleet.begin({ kind: 'change', markers: change.markers });
  server.change(change.to);
  await awaitPhase(fleet, never, wait);
  const { completedAtMs, unseenBytes, receivedBytes } = await fleet.collect();
  t.is(completedAtMs.length, 1);
  // The fake sends the change to all three.
  t.is(unseenBytes, (receivedBytes / 3) * 2);
});

test('in a storm all clients but one of twenty connect again, and those that stay get the change', async (t) => {
  const server = await startFakeDeltaServer();
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 21), 1, { variant: 'delta', hasStorm: true });
  t.teardown(async () => {
    server.stop();
    await fleet.stop();
  });
  const wait = { what: 'a phase', timeoutMs: 60_000, progress: () => {} };
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  await awaitPhase(fleet, never, wait);
  t.is((await fleet.collect()).completedAtMs.length, 21);

  await fleet.begin({ kind: 'storm', markers: [{ typeUrl: TypeUrl.endpoint, text: '10.9.9.9' }] });
  await fleet.reconnect();
  server.change('10.9.9.9');
  await awaitPhase(fleet, never, wait);
  const { completedAtMs, stayedAtMs } = await fleet.collect();
  t.is(completedAtMs.length, 19);
  t.is(stayedAtMs.length, 2);
  t.is(server.nodes.length, 21 + 19);
});

test('a server that does not answer ends the wait with the name of what is missing', async (t) => {
  const server = await startFakeAdsServer(SERVICES, { answers: false });
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 2), 1);
  t.teardown(async () => {
    server.stop();
    await fleet.stop();
  });
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  await eventually('both clients have asked', () => server.requests.length === 2);
  const wait = { what: 'first sync 1 of 1 (target)', timeoutMs: 500, progress: () => {} };
  await t.throwsAsync(awaitPhase(fleet, never, wait), {
    instanceOf: BenchError,
    code: 'timed-out',
    message:
      /^Waited 0\.5 s for first sync 1 of 1 \(target\): 0 of 2 clients are done; client 0 waits for cds \(asked for, no answer yet\)/,
  });
});

test('each client has its own connection and sends its node only in the first request', async (t) => {
  const server = await startFakeAdsServer(SERVICES);
  const identities = buildSidecarIdentities(SERVICES, 3);
  const fleet = new Fleet(identities, 2);
  t.teardown(async () => {
    server.stop();
    await fleet.stop();
  });
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  await awaitPhase(fleet, never, { what: 'sync', timeoutMs: 60_000, progress: () => {} });
  const nodes = server.requests.flatMap(({ node }) => (node?.id === undefined ? [] : [node.id]));
  t.deepEqual(nodes.toSorted(), identities.map(({ id }) => id).toSorted());
  t.is(server.connections(), 3);
});

test('a missing server fails the run with its address', async (t) => {
  const [port] = await findFreePorts(1);
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 1), 1);
  t.teardown(() => fleet.stop());
  await fleet.arm(`127.0.0.1:${port}`);
  await fleet.begin({ kind: 'sync' });
  await fleet.go();
  await t.throwsAsync(awaitPhase(fleet, never, { what: 'sync', timeoutMs: 60_000, progress: () => {} }), {
    instanceOf: BenchError,
    code: 'client-failed',
    message: new RegExp(`^Client 0 on 127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`),
  });
});

test('a server that ends the streams fails the run', async (t) => {
  const server = await startFakeAdsServer(SERVICES);
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 2), 1);
  t.teardown(() => fleet.stop());
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'change', markers: [{ typeUrl: 'never', text: 'never' }] });
  await fleet.go();
  const failed = awaitPhase(fleet, never, {
    what: 'a change',
    timeoutMs: 60_000,
    progress: ({ receivedBytes }) => {
      if (receivedBytes > 0) server.stop();
    },
  });
  await t.throwsAsync(failed, { instanceOf: BenchError, code: 'client-failed' });
});

test('after the end of the server, its last output is reported instead of the errors of the clients', async (t) => {
  const server = await startFakeAdsServer(SERVICES);
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, 1), 1);
  t.teardown(() => fleet.stop());
  await fleet.arm(server.address);
  await fleet.begin({ kind: 'sync' });
  server.stop();
  await fleet.go();
  const ended = fleet.failed.catch(() => Promise.reject(new BenchError('server-failed', 'It was ended by SIGKILL.')));
  await t.throwsAsync(awaitPhase(fleet, ended, { what: 'sync', timeoutMs: 60_000, progress: () => {} }), {
    code: 'server-failed',
  });
});
