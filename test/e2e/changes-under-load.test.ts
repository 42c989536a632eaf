import anyTest, { type TestFn } from 'ava';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { endUnharmedLoad, moreRequests } from './running-load.js';
import { SPLIT, splitRoutes } from './split-routes.js';

interface Context {
  mesh: MeshRig;
  client: Sidecar;
  first: Sidecar;
  second: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const FIRST_ADDRESS = '10.244.0.6';
const SECOND_ADDRESS = '10.244.0.7';
const ECHO: ServiceOptions = {
  name: 'echo',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const LOAD = { request: { url: 'http://10.96.0.10/', headers: { host: 'echo' } } };
/** Requests that must go well after a change before the load counts as unharmed by it. */
const REQUESTS_AFTER_CHANGE = 500;

const files = (addresses: readonly string[]) => [serviceManifest(ECHO), endpointsManifest(ECHO, addresses)];

test.before(async (t) => {
  if (available === undefined) return;
  const mesh = await createMeshRig(available, { files: { 'echo.yaml': files([FIRST_ADDRESS]) } });
  t.context.mesh = mesh;
  const first = await mesh.addSidecar({ name: 'echo-1', address: FIRST_ADDRESS });
  const second = await mesh.addSidecar({ name: 'echo-2', address: SECOND_ADDRESS });
  const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5' });
  await first.agent.call('serveHttp', { name: 'echo-1', port: 8080 });
  await second.agent.call('serveHttp', { name: 'echo-2', port: 8080 });
  await Promise.all([first, second, client].map(({ envoy }) => envoy.ready()));
  t.context = { mesh, client, first, second };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

const NO_ANSWER = { status: 0, headers: {} as Readonly<Record<string, unknown>> };

e2eTest('an endpoint is added and removed under load without a failed request', async (t) => {
  const { mesh, client, second } = t.context;
  await client.agent.call('startLoad', LOAD);
  await moreRequests(client.agent, 100);
  t.is((await client.agent.call('readLoad', null)).byServer['echo-2'], undefined);

  await mesh.discovery.configFolder.write('echo.yaml', files([FIRST_ADDRESS, SECOND_ADDRESS]));
  await eventually('the new endpoint gets requests', async () => {
    return ((await client.agent.call('readLoad', null)).byServer['echo-2'] ?? 0) > 50;
  });

  await mesh.discovery.configFolder.write('echo.yaml', files([FIRST_ADDRESS]));
  await eventually('the sidecar no longer lists the endpoint', async () => {
    return !(await client.envoy.admin('/clusters')).includes(`${SECOND_ADDRESS}:8080`);
  });
  await second.agent.call('stopServing', 8080);
  await moreRequests(client.agent, REQUESTS_AFTER_CHANGE);

  const report = await endUnharmedLoad(t, client.agent);
  t.true((report.byServer['echo-1'] ?? 0) > 0);
});

e2eTest('new connections of an app are served without a failed request while an endpoint comes and goes', async (t) => {
  const { mesh, client, second } = t.context;
  await second.agent.call('serveHttp', { name: 'echo-2', port: 8080 });
  await client.agent.call('startLoad', { ...LOAD, newConnections: true });
  await mesh.discovery.configFolder.write('echo.yaml', files([FIRST_ADDRESS, SECOND_ADDRESS]));
  await eventually('the new endpoint gets requests', async () => {
    return ((await client.agent.call('readLoad', null)).byServer['echo-2'] ?? 0) > 50;
  });
  await mesh.discovery.configFolder.write('echo.yaml', files([FIRST_ADDRESS]));
  await eventually('the sidecar no longer lists the endpoint', async () => {
    return !(await client.envoy.admin('/clusters')).includes(`${SECOND_ADDRESS}:8080`);
  });
  await moreRequests(client.agent, 100);
  await endUnharmedLoad(t, client.agent);
});

/** How long routes change; 60 shows that a minute of it fails no request. */
const ROUTING_SECONDS = Number(process.env['ROUTING_SECONDS'] ?? 5);
const BETWEEN_CHANGES_MS = ROUTING_SECONDS > 5 ? 1000 : 100;
const routing = (round: number) => splitRoutes(round, [FIRST_ADDRESS, SECOND_ADDRESS]);

e2eTest('weights, subsets and rules of a route change under load without a failed request', async (t) => {
  const { mesh, client } = t.context;
  const { configFolder } = mesh.discovery;
  const url = `http://${SPLIT.address}/`;
  const request = { url, headers: { host: SPLIT.host } };
  const isInForce = (round: number) =>
    eventually(`round ${round} is in force`, async () => {
      const { status, headers } = await client.agent.request(url, { headers: request.headers }).catch(() => NO_ANSWER);
      return status === 200 && headers['x-round'] === `${round}`;
    });
  await configFolder.write('split.yaml', routing(0));
  await isInForce(0);
  await client.agent.call('startLoad', { request, concurrency: 4 });
  const endsAt = performance.now() + ROUTING_SECONDS * 1000;
  let round = 0;
  while (performance.now() < endsAt || round < 7) {
    const changedAt = performance.now();
    await configFolder.write('split.yaml', routing(++round));
    await isInForce(round);
    const restMs = BETWEEN_CHANGES_MS - (performance.now() - changedAt);
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }
  await moreRequests(client.agent, 100);
  const report = await endUnharmedLoad(t, client.agent);
  t.true((report.byServer['echo-1'] ?? 0) > 0 && (report.byServer['echo-2'] ?? 0) > 0);
});

e2eTest(
  'the server is killed and restarted under load without a failed request, and all proxies come back',
  async (t) => {
    const { mesh, client } = t.context;
    const { discovery } = mesh;
    await eventually('three proxies are connected', async () => (await discovery.metric('nav_xds')) === 3);
    await client.agent.call('startLoad', LOAD);
    await moreRequests(client.agent, 100);

    await discovery.kill();
    await eventually(
      'the sidecar has noticed',
      async () => (await client.envoy.stat('control_plane.connected_state')) === 0,
    );
    await moreRequests(client.agent, REQUESTS_AFTER_CHANGE);

    await discovery.start();
    await eventually('all three proxies are connected', async () => (await discovery.metric('nav_xds')) === 3);
    await eventually('all three have acknowledged what they were sent', async () => {
      const rows = await discovery.syncRows();
      return (
        rows.length === 3 &&
        rows.every(
          (row) =>
            row.cluster_acked !== undefined &&
            row.cluster_acked === row.cluster_sent &&
            row.listener_acked === row.listener_sent &&
            row.route_acked === row.route_sent &&
            row.endpoint_acked === row.endpoint_sent,
        )
      );
    });
    await moreRequests(client.agent, REQUESTS_AFTER_CHANGE);

    await endUnharmedLoad(t, client.agent);
  },
);

e2eTest('a change during an outage of the server reaches the proxies after its restart', async (t) => {
  const { mesh, client, second } = t.context;
  await mesh.discovery.kill();
  await mesh.discovery.configFolder.write('echo.yaml', files([SECOND_ADDRESS]));
  await mesh.discovery.start();
  const answeredBy = async () =>
    (await client.agent.requestEcho(LOAD.request.url, { headers: LOAD.request.headers })).name;
  await eventually('the endpoint that was written meanwhile answers', async () => (await answeredBy()) === 'echo-2');
  // Its own sidecar may hear of the service later than the client's; until then it passes requests through.
  await eventually('its sidecar passes requests on as those of the service', async () => {
    t.is(await answeredBy(), 'echo-2');
    return passesRequestsOn(second);
  });
});

/** Whether the sidecar of the workload passed on any request to its app as one of its service. */
async function passesRequestsOn({ envoy }: Sidecar): Promise<boolean> {
  const stats = await envoy.stats();
  return [...stats].some(([name, value]) => /^cluster\.inbound\|80\|.*\.upstream_rq_total$/.test(name) && value > 0);
}
