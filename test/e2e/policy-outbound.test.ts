import { serviceEntryManifest } from '../counterparts/manifests.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { forgeAttribute } from './forge-attributes.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const EXTERNAL_ADDRESS = '10.244.9.10';
const HTTP_HOST = 'api.example.com';
const HTTP_ADDRESS = '10.96.50.1';
const TCP_HOST = 'store.example.com';
const TCP_ADDRESS = '10.96.50.2';

const external = (
  name: string,
  host: string,
  address: string,
  port: object,
  annotations: Readonly<Record<string, string>> = {},
) =>
  serviceEntryManifest(
    name,
    {
      hosts: [host],
      addresses: [address],
      ports: [port],
      resolution: 'STATIC',
      endpoints: [{ address: EXTERNAL_ADDRESS }],
    },
    'default',
    annotations,
  );

/** HTTP hosts whose entries set the behaviour without a policy server; the mesh config sets FAIL_CLOSE. */
const FAILING = {
  'opening.example.com': { address: '10.96.50.3', annotations: { 'policy.mesh.internal/failPolicy': 'FAIL_OPEN' } },
  'closing.example.com': { address: '10.96.50.4', annotations: { 'policy.mesh.internal/failPolicy': 'FAIL_CLOSE' } },
  'plain.example.com': { address: '10.96.50.5', annotations: {} },
};

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['both-sides'],
    settings: { enableClientSidePolicyCheck: true },
    files: {
      'external.yaml': [
        external('http', HTTP_HOST, HTTP_ADDRESS, { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }),
        ...Object.entries(FAILING).map(([host, { address, annotations }], index) =>
          external(
            `failing-${index}`,
            host,
            address,
            { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 },
            annotations,
          ),
        ),
        external('tcp', TCP_HOST, TCP_ADDRESS, { number: 9000, name: 'tcp', protocol: 'TCP' }),
      ],
    },
    specs: {
      'http.yaml': boundQuotaSpec({ name: 'http' }, [HTTP_HOST], [{ quotas: [{ quota: 'calls', charge: 1 }] }]),
      'failing.yaml': boundQuotaSpec({ name: 'failing' }, Object.keys(FAILING), [
        { quotas: [{ quota: 'failing', charge: 1 }] },
      ]),
      'tcp.yaml': boundQuotaSpec({ name: 'tcp' }, [TCP_HOST], [{ quotas: [{ quota: 'connections', charge: 1 }] }]),
      'both.yaml': boundQuotaSpec(
        { name: 'both' },
        ['both-sides'],
        [
          {
            match: [{ 'context.reporter.kind': { exact: 'inbound' } }],
            quotas: [{ quota: 'inbound', charge: 1 }],
          },
          {
            match: [{ 'context.reporter.kind': { exact: 'outbound' } }],
            quotas: [{ quota: 'outbound', charge: 1 }],
          },
        ],
      ),
    },
    limits: [
      { name: 'calls', maxAmount: 10, dimensions: ['source.uid'] },
      { name: 'failing', maxAmount: 2, dimensions: ['destination.service.host'] },
      { name: 'connections', maxAmount: 3 },
      { name: 'inbound', maxAmount: 7 },
      { name: 'outbound', maxAmount: 12 },
    ],
    beforeSidecars: async ({ rig }) => {
      await rig.network.addRouterAddress(EXTERNAL_ADDRESS);
      await rig.routerAgent.call('serveHttp', { name: 'api', port: 8080, address: EXTERNAL_ADDRESS });
      await rig.routerAgent.call('serveTcp', { name: 'store', port: 9000, address: EXTERNAL_ADDRESS });
    },
  });
});

e2eTest('with checks on the client side, requests to a service outside the mesh are counted by sender', async (t) => {
  const policy = policyOf(t.context);
  const requests = Array.from({ length: 50 }, (_, index) => ({
    url: `http://${HTTP_ADDRESS}/`,
    // The sidecar replaces the claims of the app by its own knowledge.
    headers: {
      host: HTTP_HOST,
      'x-mesh-attributes': forgeAttribute('source.uid', `orchestrator://other-${index}.default`),
    },
  }));
  const answers = await policy.client.agent.call('requestMany', { requests });
  t.deepEqual(countStatuses(answers), { 200: 10, 429: 40 });
  t.deepEqual(
    new Set(answers.flatMap(({ status, body }) => (status === 429 ? [body] : []))),
    new Set(['Quota is exhausted for: calls']),
  );
  const ofServer = await policy.server.agent.call('requestMany', { requests: requests.slice(0, 12) });
  t.deepEqual(countStatuses(ofServer), { 200: 10, 429: 2 });
});

e2eTest('with checks on the client side, connections to a service outside the mesh are counted', async (t) => {
  const { client } = policyOf(t.context);
  const held = await client.agent.call('holdTcp', { address: TCP_ADDRESS, port: 9000, count: 9, send: 'hello' });
  t.like(held, { open: 3, closed: 6 });
  await client.agent.call('releaseTcp', null);
});

e2eTest('a request that both sides check is charged by each side, and rules can distinguish the sides', async (t) => {
  const policy = policyOf(t.context);
  const answers = await policy.send('both-sides', 20);
  t.deepEqual(countStatuses(answers), { 200: 7, 429: 13 });
  const refusals = answers.flatMap(({ status, body }) => (status === 429 ? [body] : []));
  const count = (quota: string) => refusals.filter((body) => body === `Quota is exhausted for: ${quota}`).length;
  t.is(count('outbound'), 8, 'twelve went out');
  t.is(count('inbound'), 5, 'of which seven came in');
});

e2eTest(
  'a ServiceEntry sets the fail policy of requests to its host, which the policy server counts when it is present',
  async (t) => {
    const { mesh, client } = policyOf(t.context);
    const statuses = async (): Promise<Readonly<Record<string, object>>> => {
      const counts: Record<string, object> = {};
      for (const [host, { address }] of Object.entries(FAILING)) {
        const requests = Array.from({ length: 5 }, () => ({ url: `http://${address}/`, headers: { host } }));
        counts[host] = countStatuses(await client.agent.call('requestMany', { requests }));
      }
      return counts;
    };
    const counted = { 200: 2, 429: 3 };
    t.deepEqual(await statuses(), {
      'opening.example.com': counted,
      'closing.example.com': counted,
      'plain.example.com': counted,
    });
    await mesh.discovery.kill();
    t.deepEqual(await statuses(), {
      'opening.example.com': { 200: 5 },
      'closing.example.com': { 503: 5 },
      'plain.example.com': { 503: 5 },
    });
    await mesh.discovery.start();
  },
);
