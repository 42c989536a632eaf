import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import { boundQuotaSpec, policyManifest } from '../counterparts/policy-manifests.js';
import {
  CHECK_RETRIES,
  createPolicyProcess,
  POLICY_SERVICE_SETTINGS,
  type PolicyProcess,
  policyServiceManifests,
} from '../counterparts/policy-process.js';
import { type RedisServer, requireRedis, startRedis } from '../counterparts/redis-server.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { changeUnderLoad } from './policy-change-load.js';
import {
  assertPolicyHolds,
  countStatuses,
  createPolicyMesh,
  type PolicyMesh,
  policyMeshConfig,
} from './policy-mesh.js';

interface Context {
  policy?: PolicyMesh;
  servers?: readonly [PolicyProcess, PolicyProcess, PolicyProcess];
  redis?: RedisServer;
}

const { available } = requireSidecarCounterparts();
const redis = requireRedis();
const binary = 'value' in redis ? redis.value : undefined;
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined || binary === undefined ? test.skip : test.serial;

const SERVER_ADDRESSES = ['10.244.9.1', '10.244.9.2', '10.244.9.3'] as const;
/** Handlers may name a Redis of this machine. */
const EGRESS = { NAV_EGRESS_ALLOWED: '127.0.0.0/8' };
const COUNTED = ['ten', 'survivor', 'strict', 'keyed', 'ruled'] as const;
/** A handler counts the quota `ruled`, in the same Redis. */
const RULED: readonly Manifest[] = [
  policyManifest('handler', 'ruled', {
    compiledAdapter: 'redisquota',
    params: {
      redisServerUrl: '127.0.0.1:6379',
      quotas: [{ name: 'ruled', maxAmount: 10, validDuration: '3600s' }],
    },
  }),
  policyManifest('instance', 'ruled', { compiledTemplate: 'quota' }),
  policyManifest('rule', 'ruled', {
    match: 'destination.service.name == "ruled"',
    actions: [{ handler: 'ruled', instances: ['ruled'] }],
  }),
];
const ROOMY = 1_000_000_000;
const FITS = { quota: 'roomy', charge: 1 };
const TOO_MUCH = { quota: 'roomy', charge: ROOMY + 1 };

test.before(async (t) => {
  if (available === undefined || binary === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: [...COUNTED, 'changing', 'untouched'],
    settings: POLICY_SERVICE_SETTINGS,
    serverMetadata: CHECK_RETRIES,
    files: {
      'policy-service.yaml': policyServiceManifests(SERVER_ADDRESSES),
    },
    specs: {
      ...Object.fromEntries(
        COUNTED.map((name) => [
          `${name}.yaml`,
          boundQuotaSpec({ name }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
        ]),
      ),
      'ruled-by.yaml': RULED,
      'changing.yaml': boundQuotaSpec({ name: 'changing' }, ['changing'], [{ quotas: [FITS] }]),
    },
    // Later tests meet limits that earlier ones have used up.
    limits: [
      { name: 'ten', maxAmount: 10, validDuration: '1h' },
      { name: 'survivor', maxAmount: 10, validDuration: '1h' },
      { name: 'strict', maxAmount: 10, validDuration: '1h' },
      { name: 'keyed', maxAmount: 3, validDuration: '1h', dimensions: ['request.headers[x-user]'] },
      { name: 'roomy', maxAmount: ROOMY },
    ],
    policyConfig: { storage: { type: 'redis', address: 'redis://127.0.0.1:6379' } },
    beforeSidecars: async ({ rig, discovery }) => {
      const { router } = rig.network;
      t.context.redis = await startRedis({ binary, port: 6379, enter: (command) => router.enter(command) });
      rig.defer(async () => t.context.redis?.stop());
      for (const address of SERVER_ADDRESSES) await rig.network.addRouterAddress(address);
      const open = (address: string) => createPolicyProcess(rig, { address, discovery, variables: EGRESS });
      const [first, second, third] = SERVER_ADDRESSES;
      const servers = [open(first), open(second), open(third)] as const;
      t.context.servers = servers;
      await Promise.all(servers.map((server) => server.start()));
    },
  });
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  if (t.context.policy !== undefined) await assertPolicyHolds(t.context.policy);
});

test.after.always(async (t) => {
  await t.context.policy?.mesh.close();
});

function partsOf({ policy, servers, redis: store }: Context): Required<Context> {
  if (policy === undefined || servers === undefined || store === undefined) throw new Error('the mesh did not start');
  return { policy, servers, redis: store };
}

/** Checks that either server has answered so far. */
function checksOf(servers: readonly PolicyProcess[]): Promise<readonly number[]> {
  return Promise.all(servers.map((server) => server.metric('policy_server_checks_total')));
}

e2eTest(
  'three policy servers with a shared Redis allow exactly 10 of 50 concurrent requests, and all decide',
  async (t) => {
    const { policy, servers } = partsOf(t.context);
    const before = await checksOf(servers);
    t.deepEqual(countStatuses(await policy.send('ten', 50)), { 200: 10, 429: 40 });
    const after = await checksOf(servers);
    const checks = after.map((count, index) => count - (before[index] ?? 0));
    t.log(`${checks.join(', ')} checks`);
    const sum = checks.reduce((total, each) => total + each, 0);
    t.true(sum >= 50, 'an attempt that took too long is made again, and charged once');
    t.true(
      checks.every((each) => each > 0),
      checks.join(),
    );
    const chargesOf = (result: string) =>
      Promise.all(
        servers.map((server) => server.metric('policy_server_quota_charges_total', { quota: 'ten', result })),
      );
    await eventually('each meets the limit that all have used up', async () => {
      t.deepEqual(countStatuses(await policy.send('ten', 10)), { 429: 10 });
      return (await chargesOf('refused')).every((each) => each > 0);
    });
    const granted = await chargesOf('granted');
    t.is(
      granted.reduce((sum, each) => sum + each, 0),
      10,
    );
  },
);

e2eTest('counts by a dimension are shared too', async (t) => {
  const { policy } = partsOf(t.context);
  const answers = await Promise.all(
    ['ada', 'bob'].map((user) => policy.send('keyed', 12, { headers: { 'x-user': user } })),
  );
  t.deepEqual(answers.map(countStatuses), [
    { 200: 3, 429: 9 },
    { 200: 3, 429: 9 },
  ]);
});

e2eTest('a handler of redisquota grants exactly 10 of 50 concurrent requests at three policy servers', async (t) => {
  const { policy } = partsOf(t.context);
  t.deepEqual(countStatuses(await policy.send('ruled', 50)), { 200: 10, 429: 40 });
});

e2eTest('a changed QuotaSpec is in force at all policy servers within a second, and no request fails', async (t) => {
  const { policy, servers } = partsOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  const charge = (quota: typeof FITS) => () =>
    configFolder.write('changing.yaml', boundQuotaSpec({ name: 'changing' }, ['changing'], [{ quotas: [quota] }]));
  await changeUnderLoad(
    t,
    policy,
    'changing',
    [
      { what: 'a higher charge', status: 429, make: charge(TOO_MUCH) },
      { what: 'a lower charge', status: 200, make: charge(FITS) },
      { what: 'a higher charge again', status: 429, make: charge(TOO_MUCH) },
      { what: 'the first charge', status: 200, make: charge(FITS) },
    ],
    servers.length,
  );
});

e2eTest('one of three policy servers can be killed without a failed request, and the count continues', async (t) => {
  const { policy, servers } = partsOf(t.context);
  t.deepEqual(countStatuses(await policy.send('survivor', 4)), { 200: 4 });
  await servers[0].kill();
  t.deepEqual(countStatuses(await policy.send('survivor', 40)), { 200: 6, 429: 34 });
  await servers[0].start();
  const [before = 0] = await checksOf(servers);
  await eventually('the restarted server gets checks again', async () => {
    t.deepEqual(countStatuses(await policy.send('survivor', 2)), { 429: 2 });
    return ((await checksOf(servers))[0] ?? 0) > before;
  });
});

e2eTest('discovery can be killed: policy servers and sidecars continue with their configuration', async (t) => {
  const { policy, servers } = partsOf(t.context);
  const { discovery } = policy.mesh;
  await discovery.kill();
  t.deepEqual(countStatuses(await policy.send('ten', 10)), { 429: 10 });
  t.deepEqual(countStatuses(await policy.send('untouched', 10)), { 200: 10 });
  await discovery.start();
  await eventually('all policy servers are connected again', async () => {
    const connected = await Promise.all(servers.map((server) => server.metric('policy_discovery_connected')));
    return connected.every((each) => each === 1);
  });
});

e2eTest(
  'without Redis, requests follow the fail policy, metrics show it, and counting continues after its return',
  async (t) => {
    const { policy, servers, redis: store } = partsOf(t.context);
    const { discovery } = policy.mesh;
    const up = () => Promise.all(servers.map((server) => server.metric('policy_server_store_up', { store: 'redis' })));
    t.deepEqual(await up(), [1, 1, 1]);

    await store.stop();
    t.deepEqual(countStatuses(await policy.send('strict', 10)), { 503: 10 });
    t.deepEqual(countStatuses(await policy.send('untouched', 10)), { 200: 10 }, 'what charges nothing needs no Redis');
    await eventually('metrics show that Redis is down', async () => (await up()).join() === '0,0,0');
    const errors = await Promise.all(servers.map((server) => server.metric('policy_server_store_errors_total')));
    t.true(
      errors.every((count) => count > 0),
      errors.join(),
    );

    await discovery.writeMeshConfig(policyMeshConfig({ ...POLICY_SERVICE_SETTINGS, policyCheckFailOpen: true }));
    await eventually('requests are allowed', async () => {
      const counts = countStatuses(await policy.send('strict', 4));
      return counts[200] === 4;
    });

    await store.start();
    await eventually('metrics show that Redis is up', async () => (await up()).join() === '1,1,1');
    t.deepEqual(
      countStatuses(await policy.send('strict', 30)),
      { 200: 10, 429: 20 },
      'a new Redis has counted nothing',
    );
    await eventually('handlers of rules count in the new Redis', async () => {
      const counts = countStatuses(await policy.send('ruled', 1));
      return counts[429] === 1;
    });
  },
);
