import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar, type SidecarOptions } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { activeClusters } from './envoy-evidence.js';
import { churnServices, type ModeClient } from './mode-churn.js';
import { endUnharmedLoad } from './running-load.js';

interface Context {
  mesh: MeshRig;
  /** Those that get everything at once, in the order of MODES. */
  clients: readonly Sidecar[];
  modes: readonly ModeClient[];
  aggregated: Sidecar;
  rest: Sidecar;
  onDemand: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER_ADDRESS = '10.244.0.6';
/** Of a workload without a sidecar. */
const OTHER_SERVER_ADDRESS = '10.244.0.7';
/** Ways in which sidecars learn of services, side by side in one mesh. */
const MODES: readonly (SidecarOptions & { readonly mode: string })[] = [
  { mode: 'aggregated delta, virtual hosts one by one', name: 'client', address: '10.244.0.5', variant: 'delta' },
  { mode: 'delta, a stream for listeners alone', name: 'per-type', address: '10.244.0.4', variant: 'deltaPerType' },
  { mode: 'polls over REST', name: 'rest', address: '10.244.0.3', variant: 'rest' },
  {
    mode: 'clusters and virtual hosts on demand',
    name: 'learner',
    address: '10.244.0.2',
    variant: 'delta',
    metadata: { ON_DEMAND: 'true' },
  },
];
/** How long services come and go; 600 shows that ten minutes of it fail no request in any mode. */
const MODES_SECONDS = Number(process.env['MODES_SECONDS'] ?? 4);
const ECHO = service('echo', '10.96.0.10');
const LOAD = { request: { url: 'http://10.96.0.10/', headers: { host: 'echo' } } };

function service(name: string, clusterIP: string): ServiceOptions {
  return { name, clusterIP, ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
}

const files = (one: ServiceOptions) => [serviceManifest(one), endpointsManifest(one, [SERVER_ADDRESS])];

function destinationRule(connectTimeout: string): Manifest {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'DestinationRule',
    metadata: { name: 'echo', namespace: 'default' },
    spec: { host: 'echo', trafficPolicy: { connectionPool: { tcp: { connectTimeout } } } },
  };
}

test.before(async (t) => {
  if (available === undefined) return;
  // The sidecar that polls needs the HTTP port, which is on the loopback device otherwise.
  const flags = ['--httpAddr', ':8080'];
  const env = { NAV_LOAD_REPORT_INTERVAL: '1s' };
  const mesh = await createMeshRig(available, { files: { 'echo.yaml': files(ECHO) }, flags, env });
  t.context.mesh = mesh;
  const server = await mesh.addSidecar({ name: 'echo-1', address: SERVER_ADDRESS, variant: 'delta' });
  const modes: ModeClient[] = [];
  for (const { mode, ...options } of MODES) {
    const sidecar = await mesh.addSidecar(options);
    modes.push({ mode, sidecar, isEager: options.metadata === undefined });
  }
  const other = await mesh.rig.addWorkload({ name: 'echo-2', address: OTHER_SERVER_ADDRESS, captured: false });
  await other.agent.call('serveHttp', { name: 'echo-2', port: 8080 });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 8080 });
  const sidecars = modes.map(({ sidecar }) => sidecar);
  await Promise.all([server, ...sidecars].map(({ envoy }) => envoy.ready()));
  const [aggregated, perType, rest, onDemand] = sidecars as [Sidecar, Sidecar, Sidecar, Sidecar];
  t.context = { mesh, modes, aggregated, rest, onDemand, clients: [aggregated, perType, rest] };
});

test.afterEach.always('no sidecar rejected any configuration or waits for any', async (t) => {
  if (t.context.modes === undefined) return;
  await t.context.mesh.assertNothingRejected();
  for (const { envoy } of t.context.modes.map(({ sidecar }) => sidecar)) {
    await eventually(`no cluster of ${envoy.name} warms`, async () => {
      return (await envoy.stat('cluster_manager.warming_clusters')) === 0;
    });
  }
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

const VIRTUAL_HOST_UPDATES = /\.vhds\..*\.update_success$/;
const TABLE_UPDATES = /^(?!.*\.vhds\.).*\.rds\..*\.update_success$/;

async function sumOf(envoy: Sidecar['envoy'], name: RegExp): Promise<number> {
  let sum = 0;
  for (const [key, value] of await envoy.stats()) if (name.test(key)) sum += value;
  return sum;
}

/** Sends an EnvoyFilter and a VirtualService for echo. Both change its virtual host, and nothing else. */
const hostChanges: readonly Manifest[] = [
  {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'EnvoyFilter',
    metadata: { name: 'host', namespace: 'default' },
    spec: {
      configPatches: [
        {
          applyTo: 'VIRTUAL_HOST',
          match: {
            context: 'SIDECAR_OUTBOUND',
            routeConfiguration: { vhost: { name: 'echo.default.svc.cluster.local:80' } },
          },
          patch: {
            operation: 'MERGE',
            value: { response_headers_to_add: [{ header: { key: 'x-patched', value: 'yes' } }] },
          },
        },
      ],
    },
  },
  {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'VirtualService',
    metadata: { name: 'echo', namespace: 'default' },
    spec: {
      hosts: ['echo'],
      http: [{ route: [{ destination: { host: 'echo' }, headers: { response: { set: { 'x-routed': 'yes' } } } }] }],
    },
  },
];

const tablesOf = ({ envoy }: Sidecar) => envoy.admin('/config_dump?resource=dynamic_route_configs');
const clustersOf = ({ envoy }: Sidecar) => envoy.admin('/clusters');

/** Waits until the sidecar uses the cluster of echo with this timeout. */
async function usesTimeout({ envoy }: Sidecar, timeout: string): Promise<void> {
  await eventually('Envoy uses the changed cluster', async () => {
    const clusters = await activeClusters(envoy);
    return clusters.some(({ name, connect_timeout }) => String(name).includes('echo') && connect_timeout === timeout);
  });
}

e2eTest('services come and go under load, and routes change, without a failed request in any mode', async (t) => {
  const { mesh, modes: clients, clients: eager } = t.context;
  const servers = [SERVER_ADDRESS, OTHER_SERVER_ADDRESS] as const;
  const { rounds, reports } = await churnServices({ mesh, clients, servers, seconds: MODES_SECONDS, minRounds: 4 });
  for (const { mode, requests, streams } of reports) {
    t.log(`${mode}: ${requests} requests and ${streams} new streams in ${rounds} rounds`);
  }
  for (const { mode, failures, samples, streams } of reports) {
    t.deepEqual({ mode, failures, samples, streams }, { mode, failures: 0, samples: [], streams: 0 });
  }
  // The sidecar with a stream of its own for listeners reports its load too.
  for (const { agent } of eager) t.is((await agent.request(LOAD.request.url, LOAD.request)).status, 200);
  const cluster = 'outbound|80||echo.default.svc.cluster.local';
  await eventually('the load is reported', async () => {
    const [issued, succeeded] = await Promise.all([
      mesh.discovery.metric('nav_load_requests_issued', { cluster }),
      mesh.discovery.metric('nav_load_requests_succeeded', { cluster }),
    ]);
    return issued > 0 && succeeded > 0;
  });
});

e2eTest(
  'a sidecar on demand learns the virtual hosts that its workload calls, and gets nothing of others',
  async (t) => {
    const { mesh, onDemand } = t.context;
    const { envoy, agent } = onDemand;
    const statusOf = async (host: string): Promise<number> => {
      const { status } = await agent.request('http://10.96.0.10/', { headers: { host } });
      return status;
    };
    t.false((await tablesOf(onDemand)).includes('echo'));
    t.is(await statusOf('echo'), 200);
    t.is(await statusOf('ECHO'), 200);
    t.is(await statusOf('Echo.Default:80'), 200);
    t.true((await tablesOf(onDemand)).includes('"80/echo"'));
    const before = await sumOf(envoy, VIRTUAL_HOST_UPDATES);
    const extra = service('quiet', '10.96.0.40');
    await mesh.discovery.configFolder.write('quiet.yaml', files(extra));
    await eventually('others know the service', async () =>
      (await tablesOf(t.context.aggregated)).includes('80/quiet'),
    );
    t.is(await sumOf(envoy, VIRTUAL_HOST_UPDATES), before);
    t.is(await statusOf('quiet'), 200);
    await mesh.discovery.configFolder.write('host.yaml', hostChanges.slice(1));
    await eventually('a changed route is in force', async () => {
      const { headers } = await agent.request('http://10.96.0.10/', { headers: { host: 'echo' } });
      return headers['x-routed'] !== undefined;
    });
    await mesh.discovery.configFolder.remove('host.yaml');
    await mesh.discovery.configFolder.remove('quiet.yaml');
  },
);

e2eTest(
  'EnvoyFilters and VirtualServices change single virtual hosts, under load, and their removal too',
  async (t) => {
    const { mesh, aggregated, clients } = t.context;
    const headersAt = async ({ agent }: Sidecar) => {
      const { headers } = await agent.request('http://10.96.0.10/', { headers: { host: 'echo' } });
      return [headers['x-patched'], headers['x-routed']].map((value) => value !== undefined);
    };
    const tableUpdates = () => sumOf(aggregated.envoy, TABLE_UPDATES);
    await aggregated.agent.call('startLoad', LOAD);
    for (const client of clients) {
      await eventually('nothing is in force', async () => !(await headersAt(client)).some(Boolean));
    }
    const before = await tableUpdates();
    await mesh.discovery.configFolder.write('host.yaml', hostChanges);
    for (const client of clients) {
      await eventually('both are in force', async () => (await headersAt(client)).every(Boolean));
    }
    await mesh.discovery.configFolder.remove('host.yaml');
    for (const client of clients) {
      await eventually('none is in force', async () => !(await headersAt(client)).some(Boolean));
    }
    t.is(await tableUpdates(), before);
    await endUnharmedLoad(t, aggregated.agent);
  },
);

for (const [how, clientOf] of [
  ['aggregated', ({ aggregated }: Context) => aggregated],
  ['over REST', ({ rest }: Context) => rest],
] as const) {
  e2eTest(`a changed cluster is used at once, under load, ${how}`, async (t) => {
    const { mesh } = t.context;
    const client = clientOf(t.context);
    await client.agent.call('startLoad', LOAD);
    for (const timeout of ['3s', '4s']) {
      await mesh.discovery.configFolder.write('rule.yaml', [destinationRule(timeout)]);
      await usesTimeout(client, timeout);
    }
    await endUnharmedLoad(t, client.agent);
  });
}

e2eTest('a sidecar that polls shows on the debug pages, and is answered 304 while nothing changes', async (t) => {
  const { mesh, rest } = t.context;
  const failures = () => rest.envoy.stat('cluster_manager.cds.update_failure');
  const before = await failures();
  await eventually('the sidecar has acknowledged what it was sent', async () => {
    const row = (await mesh.discovery.syncRows()).find(
      ({ proxy, cluster_sent }) => proxy.includes('~rest.') && cluster_sent !== undefined,
    );
    return row !== undefined && row.cluster_sent === row.cluster_acked;
  });
  t.is(await failures(), before);
});

e2eTest(
  'a sidecar that holds everything gets nothing again from a restarted server, and the next change',
  async (t) => {
    const { mesh, aggregated } = t.context;
    const { envoy } = aggregated;
    const updates = async () => ({
      clusters: await envoy.stat('cluster_manager.cds.update_success'),
      listeners: await envoy.stat('listener_manager.lds.update_success'),
      routes: await sumOf(envoy, TABLE_UPDATES),
      virtualHosts: await sumOf(envoy, VIRTUAL_HOST_UPDATES),
      endpoints: await envoy.stat('cluster.outbound|80||echo.default.svc.cluster.local.update_success'),
    });
    // All that earlier tests wrote comes before this change, for this sidecar too.
    await mesh.discovery.configFolder.write('rule.yaml', [destinationRule('5s')]);
    await usesTimeout(aggregated, '5s');
    await eventually('the sidecar has acknowledged every response', async () => {
      const row = (await mesh.discovery.syncRows()).find(({ proxy }) => proxy.includes('~client.'));
      return (
        row !== undefined &&
        row.cluster_sent === row.cluster_acked &&
        row.endpoint_sent === row.endpoint_acked &&
        row.listener_sent === row.listener_acked &&
        row.route_sent === row.route_acked &&
        row.virtual_host_sent === row.virtual_host_acked
      );
    });
    const before = await updates();
    t.true(
      Object.values(before).every((count) => count > 0),
      JSON.stringify(before),
    );
    await mesh.discovery.kill();
    await eventually('the sidecar has noticed', async () => (await envoy.stat('control_plane.connected_state')) === 0);
    await mesh.discovery.start();
    await eventually('the sidecar is connected', async () => (await envoy.stat('control_plane.connected_state')) === 1);
    await eventually('the server knows that the sidecar has the rule', async () => {
      const page = await mesh.discovery.get('/debug/config_distribution?resource=DestinationRule/default/echo');
      const rows = JSON.parse(page) as readonly Record<string, string>[];
      const own = rows.find(({ proxy }) => proxy?.includes('~client.') === true);
      return ['cluster_acked', 'listener_acked', 'route_acked', 'virtual_host_acked'].every(
        (field) => own?.[field] !== undefined,
      );
    });
    t.deepEqual(await updates(), before);
    const extra = service('later', '10.96.0.30');
    await mesh.discovery.configFolder.write('later.yaml', files(extra));
    await eventually('the new service is known', async () =>
      (await clustersOf(aggregated)).includes('|later.default.'),
    );
    const after = await updates();
    t.is(after.clusters, before.clusters + 1);
    t.is(after.endpoints, before.endpoints);
    t.is(after.routes, before.routes);
    await eventually('its virtual host is there', async () => {
      return (await sumOf(envoy, VIRTUAL_HOST_UPDATES)) > before.virtualHosts;
    });
  },
);
