import anyTest, { type TestFn } from 'ava';
import type { ServiceOptions } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { policyConfig, policyMeshConfig } from './policy-mesh.js';
import {
  createSecuredMesh,
  type PodOptions,
  podManifest,
  type SecuredMesh,
  serviceOn,
  spiffeId,
} from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  server: Sidecar;
  alice: Sidecar;
  bob: Sidecar;
  plain: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER: PodOptions = {
  name: 'books-1',
  namespace: 'default',
  address: '10.244.0.6',
  serviceAccount: 'books',
  isSecured: true,
};
const ALICE: PodOptions = { ...SERVER, name: 'alice-1', address: '10.244.0.5', serviceAccount: 'alice' };
const BOB: PodOptions = { ...SERVER, name: 'bob-1', address: '10.244.0.7', serviceAccount: 'bob' };
const PLAIN: PodOptions = { ...ALICE, name: 'plain-1', address: '10.244.0.8', isSecured: false };
const BOOKS: ServiceOptions = {
  name: 'books',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const QUEUE: ServiceOptions = { name: 'queue', clusterIP: '10.96.0.11', ports: [{ name: 'tcp', port: 9000 }] };
const LIMIT = 3;

const rule = (quota: string) => [{ quotas: [{ quota, charge: 1 }] }];
const perCaller = (name: string) => ({ name, maxAmount: LIMIT, validDuration: '1h', dimensions: ['source.principal'] });

test.before(async (t) => {
  if (available === undefined) return;
  const secured = await createSecuredMesh(available, {
    meshConfig: policyMeshConfig(),
    policyConfig: policyConfig([perCaller('requests'), perCaller('connections')]),
    // Only the server's sidecar sends Checks, and it has a certificate. Its callers need none.
    env: { NAV_POLICY_TLS: 'strict' },
    files: {
      'pods.yaml': [SERVER, ALICE, BOB, PLAIN].map(podManifest),
      'services.yaml': [...serviceOn(BOOKS, SERVER), ...serviceOn(QUEUE, SERVER)],
      'books-quota.yaml': boundQuotaSpec({ name: 'books' }, ['books'], rule('requests')),
      'queue-quota.yaml': boundQuotaSpec({ name: 'queue' }, ['queue'], rule('connections')),
    },
  });
  Object.assign(t.context, { secured });
  const [server, alice, bob, plain] = await Promise.all([SERVER, ALICE, BOB, PLAIN].map(secured.addPod));
  if (!server || !alice || !bob || !plain) throw new Error('a sidecar is missing');
  await server.agent.call('serveHttp', { name: 'books', port: 8080 });
  await server.agent.call('serveTcp', { name: 'queue', port: 9000 });
  await Promise.all([server, alice, bob, plain].map(({ envoy }) => envoy.ready()));
  t.context = { secured, server, alice, bob, plain };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.secured?.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

/** One after another, so that the last one is the one too many. */
async function statuses({ agent }: Sidecar, count: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    // Claims of a caller about itself, which the server must ignore.
    const headers = { host: 'books', 'x-forwarded-client-cert': `By=x;URI=${spiffeId(BOB)}` };
    found.push((await agent.request(`http://${BOOKS.clusterIP}/`, { headers })).status);
  }
  return found;
}

async function connections({ agent }: Sidecar, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index++) {
    const exchange = { address: QUEUE.clusterIP, port: 9000, send: 'a message', until: 'a message' };
    found.push(
      await agent.call('exchangeTcp', exchange).then(
        () => 'served',
        () => 'closed',
      ),
    );
  }
  return found;
}

const granted = <Value>(value: Value): readonly Value[] => Array.from({ length: LIMIT }, () => value);

e2eTest('each caller has a separate quota, by the identity in its certificate', async (t) => {
  const { alice, bob, plain } = t.context;
  t.deepEqual(await statuses(alice, LIMIT + 1), [...granted(200), 429]);
  t.deepEqual(await statuses(bob, LIMIT + 1), [...granted(200), 429]);
  t.deepEqual(await statuses(plain, LIMIT + 1), [...granted(200), 429], 'those without an identity share one');
});

e2eTest('each caller of a TCP service has a separate quota', async (t) => {
  const { alice, bob, plain } = t.context;
  for (const caller of [alice, bob, plain]) {
    t.deepEqual(await connections(caller, LIMIT + 1), [...granted('served'), 'closed']);
  }
});

e2eTest("the server's sidecar asks the policy server over mutual TLS", async (t) => {
  const { secured, server } = t.context;
  // About requests, and about connections.
  for (const cluster of ['policy_check_server', 'policy_server']) {
    const stats = await server.envoy.stats();
    t.true((stats.get(`cluster.${cluster}.upstream_rq_200`) ?? 0) > 0, cluster);
    t.true((stats.get(`cluster.${cluster}.ssl.handshake`) ?? 0) > 0, cluster);
  }
  const metrics = await secured.mesh.discovery.get('/metrics');
  t.false(/^policy_server_refused_calls_total/m.test(metrics), metrics.match(/^policy_server_refused_.*$/m)?.[0]);
});
