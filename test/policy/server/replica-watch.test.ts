import test from 'ava';
import { Registry } from 'prom-client';
import type { Endpoint } from '../../../src/model/endpoint.js';
import { createReplicaWatch } from '../../../src/policy/server/replicas/replica-watch.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { buildContext, buildEndpoints, buildService, MESH } from '../../generators/context-builder.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const MINUTE_MS = 60_000;
const MESHD = buildService({ name: 'meshd', namespace: 'mesh-system' });
const HOST = 'meshd.mesh-system.svc';

/** A pod by the revision of its Deployment; its number is its address. */
type Pod = readonly [revision: string, number: number, health?: Endpoint['health']];

function createRig(mixerCheckServer = 'embedded', service = MESHD) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const registry = new Registry();
  let isInMemory = true;
  let saysMemory = false;
  let changes = 0;
  const watch = createReplicaWatch({
    countsInMemory: () => isInMemory,
    othersCountInMemory: (namespace) => saysMemory && namespace === service.namespace,
    clock,
    logger,
    metrics: createMetrics(registry),
    onChange: () => {
      changes += 1;
    },
  });
  const mesh = {
    ...MESH,
    policy: { ...MESH.policy, mixerCheckServer },
    defaultConfig: { ...MESH.defaultConfig, discoveryAddress: `${HOST}:15012` },
  };
  return {
    clock,
    logger,
    watch,
    changes: () => changes,
    metric: async () => (await registry.getSingleMetricAsString('policy_server_unshared_replicas')).split(' ').at(-1),
    pods: (...pods: readonly Pod[]) => {
      const list = pods.map(([revision, number, health = 'healthy']) => ({
        address: `10.0.0.${number}`,
        health,
        labels: { 'pod-template-hash': revision },
      }));
      // Each pod serves two ports.
      const both = list.flatMap((each) => [each, { ...each, portName: 'grpc-policy', port: 15016 }]);
      watch.observe(buildContext({ services: [service], endpoints: [buildEndpoints(service, both)], mesh }));
    },
    policyServerSays: (next: boolean) => {
      saysMemory = next;
    },
    storeInMemory: (next: boolean) => {
      isInMemory = next;
      watch.configChanged();
    },
  };
}

test('two pods of one revision that count in memory are logged and counted at once', async (t) => {
  const rig = createRig();
  rig.pods(['a', 1]);
  t.is(rig.watch.unshared(), undefined);
  t.is(await rig.metric(), '0');
  rig.pods(['a', 1], ['a', 2]);
  t.deepEqual(rig.watch.unshared(), { host: HOST, replicas: 2 });
  t.is(rig.changes(), 1);
  t.is(await rig.metric(), '2');
  t.like(rig.logger.records.at(-1), {
    level: 'warn',
    message: 'replicas of the policy server count quotas apart',
    fields: { host: HOST, replicas: 2 },
  });
});

test('the surge of a rollout is not reported, for any number of rollouts', (t) => {
  const rig = createRig();
  rig.pods(['a', 1]);
  for (const [before, after, number] of [
    ['a', 'b', 2],
    ['b', 'c', 3],
    ['c', 'd', 4],
  ] as const) {
    rig.clock.advance(MINUTE_MS / 2);
    rig.pods([before, number - 1], [after, number]);
    rig.clock.advance(MINUTE_MS / 2);
    rig.pods([before, number - 1, 'unhealthy'], [after, number]);
  }
  rig.clock.advance(MINUTE_MS * 2);
  t.is(rig.watch.unshared(), undefined);
  t.is(rig.changes(), 0);
});

test('pods of two revisions that stay are reported after a minute', (t) => {
  const rig = createRig();
  rig.pods(['a', 1], ['b', 2]);
  rig.clock.advance(MINUTE_MS - 1);
  t.is(rig.watch.unshared(), undefined);
  rig.clock.advance(1);
  t.is(rig.watch.unshared()?.replicas, 2);
});

test('while several replicas are rolled the number stays', (t) => {
  const rig = createRig();
  rig.pods(['a', 1], ['a', 2]);
  rig.clock.advance(MINUTE_MS * 2);
  rig.pods(['a', 1], ['a', 2], ['b', 3]);
  rig.clock.advance(5_000);
  rig.pods(['a', 2], ['b', 3]);
  rig.clock.advance(5_000);
  rig.pods(['b', 3]);
  rig.clock.advance(5_000);
  rig.pods(['b', 3], ['b', 4]);
  rig.clock.advance(MINUTE_MS * 2);
  t.is(rig.watch.unshared()?.replicas, 2);
  t.is(rig.changes(), 1);
});

test('one replica that is left is alone after a minute', async (t) => {
  const rig = createRig();
  rig.pods(['a', 1], ['a', 2], ['a', 3]);
  t.is(rig.watch.unshared()?.replicas, 3);
  rig.pods(['a', 1]);
  rig.clock.advance(MINUTE_MS - 1);
  t.is(rig.watch.unshared()?.replicas, 3);
  rig.clock.advance(1);
  t.is(rig.watch.unshared(), undefined);
  t.is(await rig.metric(), '0');
});

test('a storage that replicas share ends it, and one in memory begins it', (t) => {
  const rig = createRig();
  rig.pods(['a', 1], ['a', 2]);
  rig.storeInMemory(false);
  t.is(rig.watch.unshared(), undefined);
  t.is(rig.logger.records.at(-1)?.message, 'replicas of the policy server no longer exceed the limits');
  rig.storeInMemory(true);
  t.is(rig.watch.unshared()?.replicas, 2);
});

test('replicas of meshd matter only where they check', (t) => {
  for (const server of ['', 'policy.shop.svc.cluster.local:15016']) {
    const rig = createRig(server);
    rig.pods(['a', 1], ['a', 2]);
    t.is(rig.watch.unshared(), undefined, server);
  }
});

test('separate policy servers are reported when one of them counts in memory', (t) => {
  const service = buildService({ name: 'policy', namespace: 'shop' });
  const rig = createRig(`${service.hostname}:15016`, service);
  rig.pods(['a', 1], ['a', 2]);
  t.is(rig.watch.unshared(), undefined);
  rig.policyServerSays(true);
  rig.clock.advance(10_000);
  t.deepEqual(rig.watch.unshared(), { host: service.hostname, replicas: 2 });
  rig.policyServerSays(false);
  rig.clock.advance(10_000);
  t.is(rig.watch.unshared(), undefined);
});

test('without a Service of the control plane, no replicas are reported', (t) => {
  const rig = createRig();
  rig.watch.observe(buildContext({ mesh: { ...MESH, policy: { ...MESH.policy, mixerCheckServer: 'embedded' } } }));
  rig.clock.advance(MINUTE_MS * 2);
  t.is(rig.watch.unshared(), undefined);
});
