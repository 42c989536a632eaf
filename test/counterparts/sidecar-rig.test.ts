import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { eventually } from '../support/eventually.js';
import type { Envoy } from './envoy.js';
import { buildNode, buildStaticBootstrap, type EnvoyJson } from './envoy-bootstrap.js';
import { assertNothingRejected } from './envoy-rejections.js';
import { requireSidecarCounterparts } from './requirement.js';
import { createRig, type Rig, type Workload } from './sidecar-rig.js';

interface Context {
  rig: Rig;
  client: Workload;
  server: Workload;
  clientEnvoy: Envoy;
  serverEnvoy: Envoy;
  listenersFile: string;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const sidecarTest = available === undefined ? test.skip : test.serial;

function tcpListener(name: string, port: number, cluster: string): EnvoyJson {
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    stat_prefix: name,
    cluster,
  };
  return {
    name,
    address: { socket_address: { address: '0.0.0.0', port_value: port } },
    listener_filters: [
      {
        name: 'envoy.filters.listener.original_dst',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst',
        },
      },
    ],
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.tcp_proxy', typed_config: proxy }] }],
  };
}

const ORIGINAL_DESTINATION = { type: 'ORIGINAL_DST', lb_policy: 'CLUSTER_PROVIDED', connect_timeout: '5s' };
const RESOURCES = {
  listeners: [tcpListener('outbound', 15001, 'outbound'), tcpListener('inbound', 15006, 'inbound')],
  clusters: [
    { name: 'outbound', ...ORIGINAL_DESTINATION },
    {
      name: 'inbound',
      ...ORIGINAL_DESTINATION,
      upstream_bind_config: { source_address: { address: '127.0.0.6', port_value: 0 } },
    },
  ],
};

test.before(async (t) => {
  if (available === undefined) return;
  const rig = await createRig(available.mode);
  t.context.rig = rig;
  const folder = await mkdtemp(join(tmpdir(), 'navigator-rig-'));
  rig.defer(() => rm(folder, { recursive: true }));
  const listenersFile = join(folder, 'listeners.json');
  await writeFile(listenersFile, JSON.stringify({ resources: [] }), { mode: 0o644 });
  const client = await rig.addWorkload({ name: 'client', address: '10.244.0.5' });
  const server = await rig.addWorkload({ name: 'server', address: '10.244.0.6' });
  const addEnvoy = (workload: Workload): Envoy => {
    const { name, address } = workload.namespace;
    const node = buildNode({ name, namespace: 'default', address });
    return rig.addEnvoy(workload, available.envoy, buildStaticBootstrap(node, RESOURCES, listenersFile));
  };
  const clientEnvoy = addEnvoy(client);
  const serverEnvoy = addEnvoy(server);
  await Promise.all([clientEnvoy.ready(), serverEnvoy.ready()]);
  t.context = { rig, client, server, clientEnvoy, serverEnvoy, listenersFile };
});

test.after.always(async (t) => {
  await t.context.rig?.close();
});

sidecarTest(
  'a captured request leaves through port 15001 of its sidecar and arrives through 15006 of the other',
  async (t) => {
    const { client, server, clientEnvoy, serverEnvoy } = t.context;
    await server.agent.call('serveHttp', { name: 'app', port: 8080 });
    const echo = await client.agent.requestEcho('http://10.244.0.6:8080/hello');
    t.is(echo.name, 'app');
    t.is(echo.path, '/hello');
    t.is(await clientEnvoy.stat('tcp.outbound.downstream_cx_total'), 1);
    t.is(await serverEnvoy.stat('tcp.inbound.downstream_cx_total'), 1);
    t.is(await serverEnvoy.stat('tcp.outbound.downstream_cx_total'), 0);
  },
);

sidecarTest('a workload without capture reaches an app through the inbound sidecar alone', async (t) => {
  const { rig, server, serverEnvoy, clientEnvoy } = t.context;
  const outsider = await rig.addWorkload({ name: 'outsider', address: '10.244.0.7', captured: false });
  await server.agent.call('serveTcp', { name: 'tcp-app', port: 9000 });
  const [inboundBefore, outboundBefore] = [
    await serverEnvoy.stat('tcp.inbound.downstream_cx_total'),
    await clientEnvoy.stat('tcp.outbound.downstream_cx_total'),
  ];
  const answer = await outsider.agent.call('exchangeTcp', {
    address: '10.244.0.6',
    port: 9000,
    send: 'ping',
    until: 'ping',
  });
  t.is(answer, 'tcp-app: ping');
  t.is(await serverEnvoy.stat('tcp.inbound.downstream_cx_total'), inboundBefore + 1);
  t.is(await clientEnvoy.stat('tcp.outbound.downstream_cx_total'), outboundBefore);
});

sidecarTest('a rejected listener of an Envoy is found with its reason', async (t) => {
  const { clientEnvoy, listenersFile } = t.context;
  await assertNothingRejected(clientEnvoy);
  const type = 'type.googleapis.com/envoy.config.listener.v3.Listener';
  const refused = {
    '@type': type,
    ...tcpListener('broken', 15099, 'no-such-cluster'),
    listener_filters: [{ name: 'no-such-filter' }],
  };
  const next = `${listenersFile}.next`;
  await writeFile(next, JSON.stringify({ resources: [refused] }), { mode: 0o644 });
  await rename(next, listenersFile);
  await eventually(
    'the listener is refused',
    async () => (await clientEnvoy.stat('listener_manager.lds.update_rejected')) > 0,
  );
  const error = await t.throwsAsync(assertNothingRejected(clientEnvoy));
  t.regex(error.message, /listener_manager\.lds\.update_rejected: 1/);
  t.regex(error.message, /no-such-filter/);
});
