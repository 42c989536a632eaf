import { fileURLToPath } from 'node:url';
import anyTest, { type TestFn } from 'ava';
import { tcpCheckName } from '../../src/generators/policy/filter-names.js';
import { type ManagedProcess, startManagedProcess } from '../counterparts/managed-process.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { ROUTER_ADDRESS } from '../counterparts/network.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import type { PrintedCheck } from './authorization-server.js';
import { activeListeners } from './envoy-evidence.js';
import { endUnharmedLoad, moreRequests } from './running-load.js';

interface Context {
  mesh: MeshRig;
  client: Sidecar;
  server: Sidecar;
  authorization: ManagedProcess;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER_ADDRESS = '10.244.0.6';
const HOST = 'echo.default.svc.cluster.local';
const ECHO: ServiceOptions = {
  name: 'echo',
  clusterIP: '10.96.0.10',
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'tcp', port: 9000 },
    { name: 'any', port: 7000 },
  ],
};
const AUTHORIZATION_PORT = 19_091;
const REQUEST = { url: 'http://10.96.0.10/', headers: { host: 'echo' } };

/** With checks on both sides, of a server beside discovery that speaks gRPC alone. */
const meshConfig = (address: string, changes: object = {}): string =>
  JSON.stringify({
    defaultConfig: { discoveryAddress: `${address}:15010` },
    mixerCheckServer: `${address}:${AUTHORIZATION_PORT}`,
    policyCheckProtocol: 'GRPC',
    disablePolicyChecks: false,
    enableClientSidePolicyCheck: true,
    ...changes,
  });

test.before(async (t) => {
  if (available === undefined) return;
  const files = { 'echo.yaml': [serviceManifest(ECHO), endpointsManifest(ECHO, [SERVER_ADDRESS])] };
  // In force before the first sidecar connects.
  const mesh = await createMeshRig(available, { files, meshConfig: meshConfig(ROUTER_ADDRESS) });
  t.context.mesh = mesh;
  const { router } = mesh.rig.network;
  const program = fileURLToPath(new URL('./authorization-server.js', import.meta.url));
  const authorization = startManagedProcess({
    name: 'authorization server',
    command: router.enter([process.execPath, program, `${router.address}:${AUTHORIZATION_PORT}`]),
  });
  mesh.rig.defer(() => authorization.stop());
  await eventually('the authorization server listens', async () => authorization.lines.includes('"listening"'));
  const server = await mesh.addSidecar({ name: 'echo-1', address: SERVER_ADDRESS });
  const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5' });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 8080 });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 7000 });
  await server.agent.call('serveTcp', { name: 'echo-1', port: 9000 });
  await Promise.all([server.envoy.ready(), client.envoy.ready()]);
  t.context = { mesh, client, server, authorization };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

/** Checks so far, oldest first. */
function checksOf({ authorization }: Context): readonly PrintedCheck[] {
  return authorization.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as PrintedCheck);
}

/** The checks caused by the action. */
async function checksDuring(context: Context, count: number, action: () => Promise<unknown>) {
  const before = checksOf(context).length;
  await action();
  return eventually(`${count} checks`, async () => {
    const checks = checksOf(context).slice(before);
    return checks.length >= count ? checks : undefined;
  });
}

/** Texts inside a serialized message. */
const decoded = (base64: unknown): string =>
  String(base64)
    .split(',')
    .map((part) => Buffer.from(part, 'base64').toString('latin1'))
    .join();

/** Everything that says that a listener was touched. */
async function listenerStats({ client, server }: Context): Promise<readonly (readonly [string, number])[]> {
  const all = await Promise.all([client, server].map(({ envoy }) => envoy.stats()));
  return all.flatMap((stats) =>
    [...stats].filter(([name]) =>
      /^listener_manager\.(lds\.update_success|listener_(added|modified|removed|in_place_updated))$/.test(name),
    ),
  );
}

/** How many requests the sidecar had checked on its inbound side. */
async function inboundChecks({ server }: Context): Promise<number> {
  return server.envoy.stat('http.inbound_0.0.0.0_8080.ext_authz.policy.ok');
}

e2eTest('every listener is active, and every filter that it names has its configuration', async (t) => {
  for (const { envoy } of [t.context.client, t.context.server]) {
    const stats = await envoy.stats();
    t.is(stats.get('listener_manager.total_listeners_warming'), 0);
    const updates = [...stats].filter(([name]) => /^extension_config_discovery\..*\.config_reload$/.test(name));
    t.true(updates.length >= 4, 'checks of HTTP and TCP, and what is forwarded');
    for (const [name, count] of updates) t.true(count > 0, name);
  }
});

e2eTest('a request is checked on both sides, with the identity of the side and the service', async (t) => {
  const { client } = t.context;
  const spoofed = { headers: { ...REQUEST.headers, 'x-mesh-attributes': 'c3Bvb2ZlZA==' } };
  let echo: Record<string, unknown> = {};
  const [outbound, inbound] = await checksDuring(t.context, 2, async () => {
    echo = (await client.agent.requestEcho(REQUEST.url, spoofed)).headers;
  });
  t.is(outbound?.path, '/');
  t.is(outbound?.contextExtensions['destination.service.host'], HOST);
  t.regex(decoded(outbound?.metadata['x-mesh-client-config']), /orchestrator:\/\/client\.default/);
  t.is(inbound?.metadata['x-mesh-service'], HOST);
  t.regex(decoded(inbound?.metadata['x-mesh-client-config']), /orchestrator:\/\/echo-1\.default/);
  const forwarded = decoded(inbound?.headers['x-mesh-attributes']);
  t.regex(forwarded, /source\.uid[\s\S]*orchestrator:\/\/client\.default/);
  t.regex(forwarded, /destination\.service\.uid[\s\S]*mesh:\/\/default\/services\/echo/);
  t.false(`${forwarded}${decoded(outbound?.headers['x-mesh-attributes'])}`.includes('spoofed'));
  t.false('x-mesh-attributes' in echo, 'the application sees nothing of it');
});

e2eTest('a request to a port that is sniffed is checked as HTTP', async (t) => {
  const checks = await checksDuring(t.context, 2, () =>
    t.context.client.agent.requestEcho('http://10.96.0.10:7000/sniffed', { headers: { host: 'echo:7000' } }),
  );
  t.deepEqual(
    checks.map(({ path }) => path),
    ['/sniffed', '/sniffed'],
  );
});

e2eTest('a connection is checked on both sides, with its ID and the time when it was opened', async (t) => {
  const { client } = t.context;
  const before = Date.now() / 1000;
  const checks = await checksDuring(t.context, 2, () =>
    client.agent.call('exchangeTcp', { address: ECHO.clusterIP, port: 9000, send: 'hello', until: 'hello' }),
  );
  for (const { metadata, path } of checks) {
    t.is(path, undefined);
    t.is(metadata['x-mesh-service'], HOST);
    t.regex(String(metadata['x-mesh-connection-id']), /^[0-9a-f-]{36}$/);
    const opened = Number(metadata['x-mesh-connection-time']);
    t.true(opened > before - 60 && opened < before + 60, String(opened));
  }
  t.not(checks[0]?.metadata['x-mesh-connection-id'], checks[1]?.metadata['x-mesh-connection-id']);
});

e2eTest('turning checks off and on again touches no listener and fails no request', async (t) => {
  const { mesh, client } = t.context;
  const { discovery, rig } = mesh;
  const { address } = rig.network.router;
  const before = await listenerStats(t.context);
  await client.agent.call('startLoad', { request: REQUEST });
  await moreRequests(client.agent, 100);
  for (const disablePolicyChecks of [true, false]) {
    await discovery.writeMeshConfig(meshConfig(address, { disablePolicyChecks }));
    await eventually(`checks are ${disablePolicyChecks ? 'off' : 'on'}`, async () => {
      const count = await inboundChecks(t.context);
      await moreRequests(client.agent, 50);
      return (await inboundChecks(t.context)) > count !== disablePolicyChecks;
    });
  }
  await endUnharmedLoad(t, client.agent);
  t.deepEqual(await listenerStats(t.context), before);
});

e2eTest(
  'a binding turns checks of the embedded server on, their protocol changes, and no listener or request is touched',
  async (t) => {
    const { mesh, client } = t.context;
    const { discovery, rig } = mesh;
    const embedded = { mixerCheckServer: 'embedded', enableClientSidePolicyCheck: false };
    const write = (policyCheckProtocol: 'HTTP' | 'GRPC') =>
      discovery.writeMeshConfig(meshConfig(rig.network.router.address, { ...embedded, policyCheckProtocol }));
    await write('HTTP');
    await eventually('both sidecars know the embedded server', async () => {
      const stats = await Promise.all([client, t.context.server].map(({ envoy }) => envoy.stats()));
      return stats.every((each) => each.has('cluster.policy_check_server.membership_total'));
    });
    await eventually('a service without a policy is not checked', async () => {
      const count = await inboundChecks(t.context);
      await client.agent.requestEcho(REQUEST.url, REQUEST);
      return (await inboundChecks(t.context)) === count;
    });
    // Listeners name the checks of outbound connections only with enableClientSidePolicyCheck.
    await eventually('both sidecars have listeners without outbound checks', async () => {
      const all = await Promise.all([client, t.context.server].map(({ envoy }) => activeListeners(envoy)));
      const name = tcpCheckName('outbound|');
      return all.every((listeners) => listeners.length > 0 && !listeners.some((listener) => listener.includes(name)));
    });
    const before = await listenerStats(t.context);
    await client.agent.call('startLoad', { request: REQUEST });
    await moreRequests(client.agent, 100);
    const rules = [{ quotas: [{ quota: 'unlimited', charge: 1 }] }];
    await discovery.configFolder.write('policy.yaml', boundQuotaSpec({ name: 'echo' }, ['echo'], rules));
    const unchecked = await inboundChecks(t.context);
    await eventually('requests are checked', async () => (await inboundChecks(t.context)) > unchecked + 50);
    for (const protocol of ['GRPC', 'HTTP'] as const) {
      await write(protocol);
      const cluster = protocol === 'HTTP' ? 'policy_check_server' : 'policy_server';
      const calls = () => t.context.server.envoy.stat(`cluster.${cluster}.upstream_rq_200`);
      const before = await calls();
      await eventually(`checks go over ${protocol}`, async () => (await calls()) > before + 50);
    }
    await discovery.configFolder.remove('policy.yaml');
    await eventually('requests are not checked any more', async () => {
      const count = await inboundChecks(t.context);
      await moreRequests(client.agent, 50);
      return (await inboundChecks(t.context)) === count;
    });
    await endUnharmedLoad(t, client.agent);
    t.deepEqual(await listenerStats(t.context), before);
  },
);
