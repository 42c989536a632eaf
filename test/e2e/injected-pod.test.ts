import anyTest, { type TestFn } from 'ava';
import { createDefaultMeshConfig } from '../../src/config/mesh/read-mesh-config.js';
import { runCommand } from '../counterparts/command.js';
import { type Envoy, startEnvoy } from '../counterparts/envoy.js';
import { assertNothingRejected } from '../counterparts/envoy-rejections.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig } from '../counterparts/mesh-rig.js';
import { ROUTER_ADDRESS } from '../counterparts/network.js';
import { programFile } from '../counterparts/program-file.js';
import { requireSidecarCounterparts, type SidecarCounterparts } from '../counterparts/requirement.js';
import type { Workload } from '../counterparts/sidecar-rig.js';
import { eventually } from '../support/eventually.js';
import { containerOf, injectShipped, shippedSettings, type TestPod } from '../webhooks/injection/support/injection.js';
import { bootstrapOf } from '../webhooks/injection/support/proxy-bootstrap.js';
import { countHops } from './envoy-evidence.js';

/** A pod as the shipped injector makes it: its init container has run, its proxy runs, its app is the agent. */
interface InjectedPod extends Workload {
  readonly envoy: Envoy;
}

interface Context {
  mesh: MeshRig;
  web: InjectedPod;
  client: InjectedPod;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const WEB_ADDRESS = '10.244.0.6';
const WEB_VIP = '10.96.0.20';
const WEB: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: WEB_VIP,
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const READY = `http://${WEB_ADDRESS}:15021/healthz/ready`;
const PROBE = `http://${WEB_ADDRESS}:15020/app-health/web/readyz`;

/** The server of these tests has no secured port. */
const SETTINGS = shippedSettings({
  defaultConfig: {
    ...createDefaultMeshConfig().defaultConfig,
    controlPlaneAuthPolicy: 'NONE',
    discoveryAddress: `${ROUTER_ADDRESS}:15010`,
  },
});

/** Resolves its packages from the folder that tests run in. */
const HEALTH_SERVER = `
  import { Server, ServerCredentials } from '@grpc/grpc-js';
  import { HealthImplementation } from 'grpc-health-check';
  const server = new Server();
  new HealthImplementation({ '': 'SERVING' }).addToServer(server);
  server.bindAsync('0.0.0.0:9090', ServerCredentials.createInsecure(), () => undefined);
`;

const podOf = (name: string): TestPod => ({
  metadata: { name, labels: { app: name } },
  spec: {
    containers: [
      {
        name,
        image: 'app',
        ports: [{ name: 'http', containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/health?deep=$(yes)', port: 'http' }, timeoutSeconds: 2 },
        livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
        startupProbe: { tcpSocket: { port: 9999 } },
      },
      {
        name: 'grpc',
        image: 'app',
        readinessProbe: { grpc: { port: 9090 }, periodSeconds: 1 },
        livenessProbe: { grpc: { port: 8080 } },
      },
    ],
  },
});

/** As the kubelet does it: the init container to its end, then the proxy, which is a native sidecar. */
async function startPod(mesh: MeshRig, { envoy: binary }: SidecarCounterparts, name: string, address: string) {
  const pod = injectShipped(podOf(name), SETTINGS);
  const workload = await mesh.rig.addWorkload({ name, address, captured: false });
  const init = [process.execPath, programFile('navigator-discovery'), ...(containerOf(pod, 'mesh-init').args ?? [])];
  await runCommand(workload.namespace.enter(init));
  const envoy = startEnvoy({ binary, ...workload, bootstrap: bootstrapOf(pod, address) });
  mesh.rig.defer(() => envoy.stop());
  await workload.agent.call('serveHttp', { name, port: 8080 });
  return { ...workload, envoy };
}

test.before(async (t) => {
  if (available === undefined) return;
  const files = { 'web.yaml': [serviceManifest(WEB), endpointsManifest(WEB, [WEB_ADDRESS])] };
  const mesh = await createMeshRig(available, { files });
  t.context.mesh = mesh;
  const web = await startPod(mesh, available, 'web', WEB_ADDRESS);
  const client = await startPod(mesh, available, 'client', '10.244.0.5');
  await Promise.all([web.envoy.ready(), client.envoy.ready()]);
  t.context = { mesh, web, client };
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

e2eTest('the kubelet can read the readiness of the proxy, and scrapers its metrics', async (t) => {
  const { routerAgent } = t.context.mesh.rig;
  const ready = await eventually('the door to readiness answers', async () => {
    const answer = await routerAgent.request(READY);
    return answer.status === 200 ? answer : undefined;
  });
  t.is(ready?.body.trim(), 'LIVE');
  const metrics = await routerAgent.request(`http://${WEB_ADDRESS}:15090/stats/prometheus`);
  t.is(metrics.status, 200);
  t.regex(metrics.body, /envoy_cluster_manager_active_clusters/);
});

e2eTest('requests go through both proxies, captured by the rules of the init container', async (t) => {
  const { client, web } = t.context;
  const { result: echo, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: 'outbound|80||web.shop.svc.cluster.local',
      to: web.envoy,
      inboundCluster: 'inbound|80|',
      counter: 'upstream_rq_total',
    },
    () => client.agent.requestEcho(`http://${WEB_VIP}/hello`),
  );
  t.like(echo, { name: 'web', path: '/hello' });
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

e2eTest('a probe reaches the application through the status port as the pod defined it', async (t) => {
  const { routerAgent } = t.context.mesh.rig;
  const echo = await routerAgent.requestEcho(PROBE, { headers: { 'user-agent': 'kube-probe/1.36' } });
  t.is(echo.name, 'web');
  t.is(echo.path, '/health?deep=$(yes)');
  t.is(echo.headers['user-agent'], 'kube-probe/1.36');
});

e2eTest('TCP and gRPC probes report the state of the application, not of its proxy', async (t) => {
  const { mesh, web } = t.context;
  const statusOf = async (probe: string): Promise<number> =>
    (await mesh.rig.routerAgent.request(`http://${WEB_ADDRESS}:15020/app-health/${probe}`)).status;
  const becomes = (probe: string, status: number): Promise<unknown> =>
    eventually(`${probe} answers ${status}`, async () => (await statusOf(probe)) === status);
  await becomes('web/livez', 200);
  t.is(await statusOf('web/startupz'), 503, 'nothing listens there');
  t.is(await statusOf('grpc/livez'), 503, 'it does not speak gRPC');
  t.is(await statusOf('grpc/readyz'), 503, 'nothing listens there yet');

  const command = web.namespace.enter([process.execPath, '--input-type=module', '-e', HEALTH_SERVER]);
  const server = startManagedProcess({ name: 'a gRPC server with health', command });
  mesh.rig.defer(() => server.stop());
  await becomes('grpc/readyz', 200);
  await server.stop();
  await becomes('grpc/readyz', 503);
});

e2eTest('a probe fails when the application does not answer', async (t) => {
  const { mesh, client } = t.context;
  const probe = 'http://10.244.0.5:15020/app-health/client/readyz';
  t.is((await mesh.rig.routerAgent.request(probe)).status, 200);
  await client.agent.stop();
  t.is((await mesh.rig.routerAgent.request(probe)).status, 503);
});

e2eTest('no other admin page is reachable from outside', async (t) => {
  const { routerAgent } = t.context.mesh.rig;
  for (const [path, method] of [
    ['/quitquitquit', 'POST'],
    ['/healthz/ready', 'POST'],
    ['/config_dump', 'GET'],
    ['/healthz/ready/../../config_dump', 'GET'],
    ['/ready', 'GET'],
    ['/app-health/web/readyz', 'POST'],
    ['/app-health/web/readyz?x=1', 'GET'],
    ['/app-health/web/other', 'GET'],
    ['/', 'GET'],
  ] as const) {
    for (const port of [15020, 15021, 15090]) {
      const url = `http://${WEB_ADDRESS}:${port}`;
      t.is((await routerAgent.request(url, { path, method })).status, 404, `${method} ${path} on ${port}`);
    }
  }
  t.is((await routerAgent.request(READY)).status, 200);
});

e2eTest('the proxies accepted all configuration', async (t) => {
  await t.notThrowsAsync(assertNothingRejected(t.context.web.envoy));
});
