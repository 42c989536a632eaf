import { buildAdsBootstrap, buildNode } from '../counterparts/envoy-bootstrap.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const GATEWAY = { name: 'gateway-1', namespace: 'default', address: '10.244.0.4' };
const GATEWAY_PORT = 8080;
const PUBLIC_HOST = 'front.example.com';
const LIMIT = 10;

const networking = (kind: string, name: string, spec: object) => ({
  apiVersion: 'networking.mesh.internal/v1alpha3',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
const to = (host: string, weight?: number) => ({ destination: { host }, ...(weight === undefined ? {} : { weight }) });

/** Requests to `front` go to `books`, by the route and by weight. */
const ROUTES = networking('VirtualService', 'front', {
  hosts: ['front.default.svc.cluster.local', PUBLIC_HOST],
  gateways: ['mesh', 'public'],
  http: [
    { match: [{ uri: { prefix: '/books' } }], route: [to('books')] },
    { match: [{ uri: { prefix: '/front' } }], route: [to('front')] },
    { route: [to('front', 50), to('books', 50)] },
  ],
});

test.before(async (t) => {
  if (available === undefined) return;
  const { envoy: binary } = available;
  t.context.policy = await createPolicyMesh(available, {
    services: ['front', 'books'],
    settings: { enableClientSidePolicyCheck: true },
    files: {
      'routes.yaml': [
        ROUTES,
        networking('Gateway', 'public', {
          selector: { app: 'gateway' },
          servers: [{ port: { number: GATEWAY_PORT, name: 'http', protocol: 'HTTP' }, hosts: [PUBLIC_HOST] }],
        }),
      ],
    },
    specs: {
      'books.yaml': boundQuotaSpec(
        { name: 'books' },
        ['books'],
        [
          {
            match: [{ 'context.reporter.kind': { exact: 'outbound' }, 'destination.service.name': { exact: 'books' } }],
            quotas: [{ quota: 'calls', charge: 1 }],
          },
        ],
      ),
    },
    limits: [{ name: 'calls', maxAmount: LIMIT, dimensions: ['source.uid'] }],
    beforeSidecars: async ({ rig, discovery }) => {
      const { name, address } = GATEWAY;
      const workload = await rig.addWorkload({ name, address, captured: false });
      const node = buildNode({ ...GATEWAY, type: 'router', labels: { app: 'gateway' } });
      const envoy = rig.addEnvoy(
        workload,
        binary,
        buildAdsBootstrap(node, discovery.adsAddress, rig.network.router.address),
      );
      await envoy.ready();
    },
  });
});

/** All requests at once. */
const exhausted = { 200: LIMIT, 429: LIMIT };

e2eTest('a route that leads to another service is charged there', async (t) => {
  const policy = policyOf(t.context);
  t.deepEqual(countStatuses(await policy.send('front', 2 * LIMIT, { path: '/books' })), exhausted);
  t.deepEqual(countStatuses(await policy.send('front', 2 * LIMIT, { path: '/front' })), { 200: 2 * LIMIT });
  t.deepEqual(countStatuses(await policy.send('books', LIMIT)), { 429: LIMIT }, 'its own host has the same quota');
});

e2eTest('only the share of requests that goes to the other service is charged there', async (t) => {
  const policy = policyOf(t.context);
  const answers = await policy.send('front', 400);
  const counts: Readonly<Record<string, number>> = countStatuses(answers);
  // The quota is used up: half of the requests are refused, give or take seven standard deviations.
  t.true((counts[429] ?? 0) > 130 && (counts[429] ?? 0) < 270, JSON.stringify(counts));
  t.is((counts[429] ?? 0) + (counts[200] ?? 0), 400, JSON.stringify(counts));
  const names = answers.flatMap(({ status, body }) =>
    status === 200 ? [(JSON.parse(body) as { name: string }).name] : [],
  );
  t.deepEqual([...new Set(names)], ['front']);
});

e2eTest('a gateway charges the service that its route leads to', async (t) => {
  const { client, mesh } = policyOf(t.context);
  const send = async (path: string, count: number) => {
    const request = { url: `http://${GATEWAY.address}:${GATEWAY_PORT}${path}`, headers: { host: PUBLIC_HOST } };
    return countStatuses(await client.agent.call('requestMany', { requests: Array(count).fill(request) }));
  };
  await eventually('the gateway routes', async () => JSON.stringify(await send('/front', 1)) === '{"200":1}');
  t.deepEqual(await send('/books', 2 * LIMIT), exhausted);
  t.deepEqual(await send('/front', 2 * LIMIT), { 200: 2 * LIMIT });
  await mesh.assertNothingRejected();
});
