import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh, type PolicyMesh, policyMeshConfig } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const CHECK = 'policy.mesh.internal/check';
const FAIL_POLICY = 'policy.mesh.internal/failPolicy';
const COUNTED = ['plain', 'strict', 'lenient', 'off', 'opening', 'closing'] as const;

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['plain', 'free', 'opening', 'closing'],
    annotations: { opening: { [FAIL_POLICY]: 'FAIL_OPEN' }, closing: { [FAIL_POLICY]: 'FAIL_CLOSE' } },
    ownWorkloads: {
      strict: { [CHECK]: 'enable' },
      lenient: { [CHECK]: 'allow-on-error' },
      off: { [CHECK]: 'disable' },
    },
    specs: Object.fromEntries(
      COUNTED.map((name) => [
        `${name}.yaml`,
        boundQuotaSpec({ name }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
      ]),
    ),
    limits: COUNTED.map((name) => ({ name, maxAmount: 3 })),
  });
});

type Outcome = Readonly<Record<string, Readonly<Record<number, number>>>>;

async function sendToEach(policy: PolicyMesh, count: number): Promise<Outcome> {
  const outcomes: Record<string, Readonly<Record<number, number>>> = {};
  for (const service of [...COUNTED, 'free']) {
    outcomes[service] = countStatuses(await policy.send(service, count));
  }
  return outcomes;
}

/** With the policy server there: a fresh one has counted nothing yet. */
const WHILE_UP: Outcome = {
  plain: { 200: 3, 429: 7 },
  strict: { 200: 3, 429: 7 },
  lenient: { 200: 3, 429: 7 },
  off: { 200: 10 },
  opening: { 200: 3, 429: 7 },
  closing: { 200: 3, 429: 7 },
  free: { 200: 10 },
};

e2eTest(
  'without a policy server, FAIL_CLOSE rejects with 503 until its return, FAIL_OPEN allows, and a service can choose',
  async (t) => {
    const policy = policyOf(t.context);
    const { discovery } = policy.mesh;
    t.deepEqual(await sendToEach(policy, 10), WHILE_UP);

    await discovery.kill();
    t.deepEqual(await sendToEach(policy, 10), {
      plain: { 503: 10 },
      strict: { 503: 10 },
      lenient: { 200: 10 },
      off: { 200: 10 },
      opening: { 200: 10 },
      closing: { 503: 10 },
      free: { 200: 10 },
    });
    const [refused] = await policy.send('plain', 1);
    t.is(refused?.headers['x-mesh-policy-unavailable'], 'unreachable');
    t.is(refused?.headers['retry-after'], '1');
    t.regex(refused?.body ?? '', /policy server did not answer/);

    await discovery.start();
    t.deepEqual(await sendToEach(policy, 10), WHILE_UP, 'it counts again at once');
    const [limited] = await policy.send('plain', 1);
    t.regex(limited?.body ?? '', /^Quota is exhausted/, 'a refusal of the server keeps its own text');
    t.is(limited?.headers['x-mesh-policy-unavailable'], undefined);
  },
);

e2eTest('a mesh config without policyCheckFailOpen fails open; the metadata of a proxy wins over it', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const allowed = () => failureModesOf(policy);
  t.deepEqual(await allowed(), [false]);
  const updates = await listenerUpdates(policy);
  await discovery.writeMeshConfig(policyMeshConfig({ policyCheckFailOpen: undefined }));
  await eventually('the sidecar has the new fail policy', async () => (await allowed()).join() === 'true');
  t.is(await listenerUpdates(policy), updates, 'no listener was replaced for it');

  await discovery.kill();
  t.deepEqual(await sendToEach(policy, 10), {
    plain: { 200: 10 },
    strict: { 503: 10 },
    lenient: { 200: 10 },
    off: { 200: 10 },
    opening: { 200: 10 },
    closing: { 503: 10 },
    free: { 200: 10 },
  });
  await discovery.start();
  t.deepEqual(await sendToEach(policy, 10), WHILE_UP);
});

/** Fail policies of the enabled checks on the server's inbound side, each once. */
async function failureModesOf({ server }: PolicyMesh): Promise<readonly boolean[]> {
  const dump = JSON.parse(await server.envoy.admin('/config_dump?resource=ecds_filters')) as {
    readonly configs?: readonly {
      readonly ecds_filter?: {
        readonly name: string;
        readonly typed_config?: { readonly failure_mode_allow?: boolean; readonly filter_enabled?: unknown };
      };
    }[];
  };
  const filters = (dump.configs ?? []).flatMap(({ ecds_filter: filter }) => {
    return filter?.name.startsWith('policy|inbound|80|http|plain.') ? [filter.typed_config] : [];
  });
  return [...new Set(filters.map((filter) => filter?.failure_mode_allow === true))];
}

async function listenerUpdates({ server }: PolicyMesh): Promise<number> {
  return (await server.envoy.stat('listener_manager.listener_modified')) ?? 0;
}
