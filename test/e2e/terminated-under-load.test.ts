import anyTest, { type TestFn } from 'ava';
import { createDiscovery, type Discovery } from '../counterparts/discovery.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { startStopwatch } from '../support/stopwatch.js';
import { policyConfig, policyMeshConfig } from './policy-mesh.js';
import { endUnharmedLoad, moreRequests } from './running-load.js';

interface Context {
  mesh?: MeshRig;
  second?: Discovery;
  client?: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

/** Addresses of the two instances of the control plane. */
const [FIRST, SECOND] = ['10.244.0.1', '10.244.9.2'] as const;
const MESHD: ServiceOptions = {
  name: 'meshd',
  namespace: 'mesh-system',
  clusterIP: '10.96.5.1',
  ports: [
    { name: 'grpc-xds', port: 15010 },
    { name: 'grpc-policy', port: 15016 },
  ],
};
const WEB: ServiceOptions = {
  name: 'web',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const WEB_ADDRESSES = ['10.244.0.6', '10.244.0.7'] as const;
const SIDECARS = WEB_ADDRESSES.length + 1;
const LOAD = { request: { url: 'http://10.96.0.10/', headers: { host: 'web' } }, concurrency: 4 };
const REQUESTS_BETWEEN = 200;
/** While callers get no processor time, no check comes: an instance must not take that for the end of all calls. */
const DRAIN_TIME_MS = 5_000;
const DRAIN_TIMEOUT_MS = 60_000;
/** Without the second signal, the drain takes ten minutes. */
const AT_ONCE_MS = 5_000;

/** What Kubernetes publishes as the instances that are ready. */
const instances = (...addresses: readonly string[]) => [serviceManifest(MESHD), endpointsManifest(MESHD, addresses)];
const web = (...addresses: readonly string[]) => [serviceManifest(WEB), endpointsManifest(WEB, addresses)];

test.before(async (t) => {
  if (available === undefined) return;
  const mesh = await createMeshRig(available, {
    files: {
      'meshd.yaml': instances(FIRST),
      'web.yaml': web(WEB_ADDRESSES[0]),
      'quotas.yaml': boundQuotaSpec({ name: 'web' }, ['web'], [{ quotas: [{ quota: 'roomy', charge: 1 }] }]),
    },
    // Without an answer of the policy server, a request fails.
    meshConfig: policyMeshConfig({ policyCheckFailOpen: false, discoveryAddress: 'meshd.mesh-system.svc:15010' }),
    policyConfig: policyConfig([{ name: 'roomy', maxAmount: 1_000_000_000 }]),
    flags: ['--drainTime', `${DRAIN_TIME_MS}ms`, '--drainTimeout', `${DRAIN_TIMEOUT_MS}ms`],
  });
  t.context.mesh = mesh;
  await mesh.rig.network.addRouterAddress(SECOND);
  const second = await createDiscovery(mesh.rig, {
    beside: mesh.discovery,
    address: SECOND,
    ports: { grpc: 15010, http: 8081, monitoring: 15024, policy: 15016, secureGrpc: 15012 },
    // It does not end by itself before the second signal.
    flags: ['--drainTime', '10m', '--drainTimeout', '10m'],
  });
  t.context.second = second;
  const otherServers = [second.adsAddress];
  const servers: Sidecar[] = [];
  for (const [index, address] of WEB_ADDRESSES.entries()) {
    const server = await mesh.addSidecar({ name: `web-${index + 1}`, address, otherServers });
    await server.agent.call('serveHttp', { name: `web-${index + 1}`, port: 8080 });
    servers.push(server);
  }
  const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5', variant: 'delta', otherServers });
  t.context.client = client;
  // Until now only the first instance runs, so that each sidecar has its stream with it.
  await Promise.all([client, ...servers].map(({ envoy }) => envoy.ready()));
  await second.start();
  await mesh.discovery.configFolder.write('meshd.yaml', instances(FIRST, SECOND));
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

const isReady = (discovery: Discovery): Promise<boolean> =>
  discovery.get('/ready').then(
    () => true,
    () => false,
  );

const checksOf = (discovery: Discovery): Promise<number> => discovery.metric('policy_server_checks_total');

const connectedTo = (discovery: Discovery): Promise<number> => discovery.metric('nav_xds');

e2eTest(
  'SIGTERM under load: proxies go to another instance, no request fails, the end is in time, and a second signal ends at once',
  async (t) => {
    const { mesh, second, client } = t.context;
    if (mesh === undefined || second === undefined || client === undefined) throw new Error('the mesh did not start');
    const { discovery: first } = mesh;
    const { agent } = client;
    const goesOn = () => moreRequests(agent, REQUESTS_BETWEEN);
    /** Waits until every sidecar has its stream with this instance. */
    const allConnectedTo = (discovery: Discovery) =>
      eventually('all sidecars are connected to one instance', async () => (await connectedTo(discovery)) === SIDECARS);
    /** As Kubernetes does it: an instance that is not ready leaves the endpoints of its Service. */
    const withdraw = async (discovery: Discovery, rest: string) => {
      await eventually('the instance is not ready', async () => !(await isReady(discovery)));
      await first.configFolder.write('meshd.yaml', instances(rest));
    };

    await allConnectedTo(first);
    await eventually('web answers', async () => (await agent.request(LOAD.request.url, LOAD.request)).status === 200);
    await agent.call('startLoad', LOAD);
    await eventually('both instances answer checks', async () => (await checksOf(second)) > 0);
    const startMs = performance.now();
    first.signal('SIGTERM');
    await withdraw(first, SECOND);
    t.deepEqual(await first.ended(), { code: 0, signal: null });
    const tookMs = performance.now() - startMs;
    t.log(`the first instance ended after ${Math.round(tookMs)} ms`);
    t.true(tookMs >= DRAIN_TIME_MS && tookMs < DRAIN_TIMEOUT_MS, `${tookMs} ms`);
    const log = first.logLines().join('\n');
    t.true(log.includes('callers have left'), first.tail());
    t.false(log.includes('callers still connect'), first.tail());
    await allConnectedTo(second);
    await goesOn();

    await first.configFolder.write('web.yaml', web(...WEB_ADDRESSES));
    await eventually('a change reaches the sidecars through the other instance', async () => {
      return ((await agent.call('readLoad', null)).byServer['web-2'] ?? 0) > 0;
    });

    await first.start();
    await first.configFolder.write('meshd.yaml', instances(FIRST, SECOND));
    await eventually('the instance that is back answers checks', async () => (await checksOf(first)) > 0);
    second.signal('SIGTERM');
    await withdraw(second, FIRST);
    await eventually('checks go to the other instance alone', async () => {
      const before = await checksOf(second);
      await goesOn();
      return (await checksOf(second)) === before;
    });
    t.is(await connectedTo(second), SIDECARS, 'while it drains, sidecars learn from it where checks go');
    const stopwatch = startStopwatch();
    second.signal('SIGTERM');
    t.deepEqual(await second.ended(), { code: null, signal: 'SIGTERM' });
    const endedMs = stopwatch.stop();
    t.true(endedMs < AT_ONCE_MS, `${endedMs} ms`);
    await allConnectedTo(first);
    await goesOn();

    const { byServer } = await endUnharmedLoad(t, agent);
    t.deepEqual(Object.keys(byServer).sort(), ['web-1', 'web-2']);
  },
);
