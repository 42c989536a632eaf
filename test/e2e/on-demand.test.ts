import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { policyConfig, policyMeshConfig } from './policy-mesh.js';
import { endUnharmedLoad } from './running-load.js';
import {
  createSecuredMesh,
  type PodOptions,
  peerAuthenticationManifest,
  podManifest,
  type SecuredMesh,
  serviceOn,
} from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  server: Sidecar;
  /** Learns on demand. */
  client: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER: PodOptions = {
  name: 'server-1',
  namespace: 'default',
  address: '10.244.0.6',
  serviceAccount: 'server',
  isSecured: true,
};
const CLIENT: PodOptions = {
  ...SERVER,
  name: 'client-1',
  address: '10.244.0.5',
  serviceAccount: 'client',
  variant: 'delta',
};
const LIMIT = 3;
/** More than all tests before the last one ask for. */
const MAX_NAMES = 60;
/** How long Envoy waits for a cluster that it has asked for. */
const LEARNING_TIMEOUT_MS = 5_000;
/** For hosts and clusters that do not exist: in each round others, for which no earlier call has waited. */
const UNKNOWN_ROUNDS = [0, 1, 2, 3, 4];

const http = (name: string, last: number): ServiceOptions => ({
  name,
  clusterIP: `10.96.0.${last}`,
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
});
const FIRST = http('first', 10);
const SECOND = http('second', 11);
const BLUE = http('blue', 12);
const GREEN = http('green', 13);
const SPLIT = http('split', 14);
const MIRRORED = http('mirrored', 15);
const SHADOW = http('shadow', 16);
const LIMITED = http('limited', 17);
const PASSING = http('passing', 18);
const HTTP = [FIRST, SECOND, BLUE, GREEN, SPLIT, MIRRORED, SHADOW, LIMITED];
const QUEUE: ServiceOptions = { name: 'queue', clusterIP: '10.96.0.20', ports: [{ name: 'tcp', port: 9000 }] };
const GREETER: ServiceOptions = { name: 'greeter', clusterIP: '10.96.0.21', ports: [{ name: 'mysql', port: 9001 }] };

const clusterOf = ({ name, ports }: ServiceOptions) => `outbound|${ports[0]?.port}||${name}.default.svc.cluster.local`;

const networking = (kind: string, name: string, spec: object): Manifest => ({
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
const to = ({ name }: ServiceOptions) => ({ destination: { host: name, port: { number: 80 } } });
const routes = ({ name }: ServiceOptions, ...all: readonly object[]) =>
  networking('VirtualService', name, { hosts: [name], http: all });

function meshConfig(onDemand: boolean): string {
  const policy = JSON.parse(policyMeshConfig({ enableClientSidePolicyCheck: true })) as object;
  return JSON.stringify({ ...policy, onDemand, outboundTrafficPolicy: { mode: 'REGISTRY_ONLY' } });
}

test.before(async (t) => {
  if (available === undefined) return;
  const secured = await createSecuredMesh(available, {
    env: { NAV_XDS_MAX_NAMES: String(MAX_NAMES) },
    meshConfig: meshConfig(true),
    policyConfig: policyConfig([{ name: 'calls', maxAmount: LIMIT, validDuration: '1h' }]),
    files: {
      'pods.yaml': [SERVER, CLIENT].map(podManifest),
      'services.yaml': [...HTTP, QUEUE, GREETER].flatMap((service) => serviceOn(service, SERVER)),
      'passing.yaml': serviceOn(PASSING, SERVER),
      'strict.yaml': [peerAuthenticationManifest('default', { mtls: { mode: 'STRICT' } })],
      'routes.yaml': [
        routes(SPLIT, { route: [BLUE, GREEN].map((service) => ({ ...to(service), weight: 50 })) }),
        routes(MIRRORED, { route: [to(MIRRORED)], mirror: { host: SHADOW.name } }),
        // Ends in a service that goes, or that never was.
        routes(
          SECOND,
          { match: [{ uri: { prefix: '/passing' } }], route: [to(PASSING)] },
          ...UNKNOWN_ROUNDS.map((round) => ({
            match: [{ uri: { prefix: `/missing-${round}` } }],
            route: [{ destination: { host: `missing-${round}` } }],
          })),
          { route: [to(SECOND)] },
        ),
      ],
      'quota.yaml': boundQuotaSpec(
        { name: 'limited' },
        ['limited'],
        [
          {
            match: [{ 'context.reporter.kind': { exact: 'outbound' } }],
            quotas: [{ quota: 'calls', charge: 1 }],
          },
        ],
      ),
      'header.yaml': [
        networking('EnvoyFilter', 'header', {
          configPatches: [
            {
              applyTo: 'CLUSTER',
              match: { context: 'SIDECAR_OUTBOUND', cluster: { service: 'second.default.svc.cluster.local' } },
              patch: { operation: 'MERGE', value: { alt_stat_name: 'patched' } },
            },
          ],
        }),
      ],
    },
  });
  Object.assign(t.context, { secured });
  const [server, client] = await Promise.all([SERVER, CLIENT].map(secured.addPod));
  if (!server || !client) throw new Error('a sidecar is missing');
  await server.agent.call('serveHttp', { name: 'server', port: 8080 });
  await server.agent.call('serveTcp', { name: 'server', port: 9000 });
  await server.agent.call('serveGreeter', { name: 'server', port: 9001 });
  await Promise.all([server, client].map(({ envoy }) => envoy.ready()));
  t.context = { secured, server, client };
});

test.afterEach.always('the sidecars rejected no configuration, and wait for none', async (t) => {
  if (t.context.client === undefined) return;
  const { secured, client } = t.context;
  await secured.mesh.assertNothingRejected();
  await eventually('no cluster warms', async () => (await client.envoy.stat('cluster_manager.warming_clusters')) === 0);
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

/** Outbound clusters that the sidecar has, sorted. */
async function learnt({ envoy }: Sidecar): Promise<readonly string[]> {
  const names = (await envoy.admin('/clusters')).split('\n').map((line) => line.split('::', 1)[0] ?? '');
  return [...new Set(names.filter((name) => name.startsWith('outbound|')))].sort();
}

const request = ({ agent }: Sidecar, { name, clusterIP }: ServiceOptions, path = '/') =>
  agent.request(`http://${clusterIP}${path}`, { headers: { host: name } });

e2eTest('a sidecar on demand starts with the clusters that Envoy never asks for', async (t) => {
  const { client, secured } = t.context;
  t.deepEqual(await learnt(client), [clusterOf(SHADOW)]);
  const sizes = JSON.parse(await secured.mesh.discovery.get('/debug/proxy_sizes')) as readonly {
    readonly proxy: string;
    readonly clusters: { readonly count: number };
  }[];
  const countOf = (name: string) => sizes.find(({ proxy }) => proxy.includes(`~${name}.`))?.clusters.count ?? 0;
  // The server speaks state of the world, so it has all clusters.
  t.true(countOf('client-1') > 0);
  t.true(countOf('server-1') >= countOf('client-1') + HTTP.length - 1);
});

e2eTest(
  'the first request to each service succeeds, over mutual TLS, and is all that teaches its cluster',
  async (t) => {
    const { client } = t.context;
    for (const service of [FIRST, SECOND]) {
      t.is((await request(client, service)).status, 200, service.name);
      t.true((await learnt(client)).includes(clusterOf(service)));
    }
    t.deepEqual(await learnt(client), [FIRST, SECOND, SHADOW].map(clusterOf).sort());
    t.true((await client.envoy.stat(`cluster.${clusterOf(FIRST)}.ssl.handshake`)) > 0);
  },
);

e2eTest('an EnvoyFilter changes a cluster that is learnt', async (t) => {
  t.true((await t.context.client.envoy.stat('cluster.patched.upstream_rq_total')) > 0);
});

e2eTest('the first connection to a TCP service succeeds, also to a server that speaks first', async (t) => {
  const { client } = t.context;
  const exchange = { port: 9000, send: 'hello', until: 'hello' };
  t.is(await client.agent.call('exchangeTcp', { ...exchange, address: QUEUE.clusterIP }), 'server: hello');
  const greeting = await client.agent.call('exchangeTcp', {
    ...{ address: GREETER.clusterIP, port: 9001, send: '', until: 'server' },
  });
  t.regex(greeting, /hello from server/);
  t.true((await learnt(client)).includes(clusterOf(QUEUE)));
});

e2eTest('each destination of a split is learnt by its first request, and mirrors get their copies', async (t) => {
  const { client } = t.context;
  await eventually('both destinations are learnt', async () => {
    t.is((await request(client, SPLIT)).status, 200);
    const clusters = await learnt(client);
    return clusters.includes(clusterOf(BLUE)) && clusters.includes(clusterOf(GREEN));
  });
  t.is((await request(client, MIRRORED)).status, 200);
  await eventually('the mirror has a copy', async () => {
    return (await client.envoy.stat(`cluster.${clusterOf(SHADOW)}.upstream_rq_total`)) > 0;
  });
});

e2eTest('hosts and clusters that do not exist are answered at once, however often they are called', async (t) => {
  const { client } = t.context;
  const tookMs: number[] = [];
  const statusOf = async (...of: Parameters<typeof request>): Promise<number> => {
    const startMs = performance.now();
    const { status } = await request(...of);
    tookMs.push(Math.round(performance.now() - startMs));
    return status;
  };
  for (const round of UNKNOWN_ROUNDS) {
    for (let call = 0; call < 2; call++) {
      t.is(await statusOf(client, { ...FIRST, name: `unknown-${round}` }), 502);
      t.is(await statusOf(client, SECOND, `/missing-${round}`), 503);
    }
  }
  // A process may get no processor time during one of them.
  const others = tookMs.toSorted((one, other) => one - other).slice(0, -1);
  const sumMs = others.reduce((sum, each) => sum + each, 0);
  t.true(others.every((each) => each < LEARNING_TIMEOUT_MS) && sumMs < 2 * LEARNING_TIMEOUT_MS, `${tookMs} ms`);
});

e2eTest('a learnt cluster leaves with its service, and comes back with it', async (t) => {
  const { client, secured } = t.context;
  const { configFolder } = secured.mesh.discovery;
  t.is((await request(client, SECOND, '/passing')).status, 200);
  await configFolder.remove('passing.yaml');
  await eventually('the cluster is gone', async () => !(await learnt(client)).includes(clusterOf(PASSING)));
  t.is((await request(client, SECOND, '/passing')).status, 503);
  await configFolder.write('passing.yaml', serviceOn(PASSING, SERVER));
  await eventually('the service answers', async () => (await request(client, SECOND, '/passing')).status === 200);
});

e2eTest('a quota is charged once for the request that teaches the cluster', async (t) => {
  const { agent } = t.context.client;
  const statuses: number[] = [];
  // With a body, Envoy does not begin the request again when it knows the cluster.
  const post = { method: 'POST', headers: { host: LIMITED.name }, body: 'a body' };
  for (let index = 0; index <= LIMIT; index++) {
    statuses.push((await agent.request(`http://${LIMITED.clusterIP}/`, post)).status);
  }
  t.deepEqual(statuses, [...Array.from({ length: LIMIT }, () => 200), 429]);
});

e2eTest('what is learnt survives a restart of the control plane, under load, and changes later', async (t) => {
  const { client, secured } = t.context;
  const { discovery } = secured.mesh;
  const { envoy, agent } = client;
  const before = await learnt(client);
  const updates = () => envoy.stat('cluster_manager.cds.update_success');
  const updated = await updates();
  await agent.call('startLoad', { request: { url: `http://${FIRST.clusterIP}/`, headers: { host: FIRST.name } } });
  await discovery.kill();
  await eventually('the sidecar has noticed', async () => (await envoy.stat('control_plane.connected_state')) === 0);
  t.is((await request(client, FIRST)).status, 200);
  await discovery.start();
  await eventually('the sidecar is connected', async () => (await envoy.stat('control_plane.connected_state')) === 1);
  await eventually('the server knows what the sidecar has', async () => {
    const row = (await discovery.syncRows()).find(({ proxy }) => proxy.includes('~client-1.'));
    return row !== undefined && 'on_demand' in row;
  });
  const rule = (connectTimeout: string) =>
    networking('DestinationRule', 'first', {
      host: FIRST.name,
      trafficPolicy: { tls: { mode: 'MESH_MUTUAL' }, connectionPool: { tcp: { connectTimeout } } },
    });
  await discovery.configFolder.write('rule.yaml', [rule('3s')]);
  await eventually('the learnt cluster has changed', async () => {
    const dump = await envoy.admin('/config_dump?resource=dynamic_active_clusters');
    return dump.includes('"connect_timeout": "3s"');
  });
  await endUnharmedLoad(t, agent);
  t.deepEqual(await learnt(client), before);
  t.is(await updates(), updated + 1);
});

e2eTest(
  'a sidecar gets all clusters when on demand is switched off, and keeps its requests when it is switched on',
  async (t) => {
    const { client, secured } = t.context;
    const { discovery } = secured.mesh;
    const all = HTTP.concat(PASSING, QUEUE, GREETER).map(clusterOf).sort();
    await discovery.writeMeshConfig(meshConfig(false));
    await eventually('the sidecar has all clusters', async () => (await learnt(client)).length === all.length);
    t.deepEqual(await learnt(client), all);
    t.is((await request(client, FIRST)).status, 200);
    await discovery.writeMeshConfig(meshConfig(true));
    await eventually('the sidecar has fewer clusters', async () => (await learnt(client)).length < all.length);
    for (const service of [FIRST, SECOND, BLUE]) t.is((await request(client, service)).status, 200, service.name);
  },
);

e2eTest(
  'a workload that calls more hosts than a subscription may name is answered at once, and keeps its hosts',
  async (t) => {
    const { client } = t.context;
    const host = (index: number) => ({ ...FIRST, name: `crawled-${index}.example` });
    const statuses = [];
    for (let index = 0; index < MAX_NAMES + 5; index++) statuses.push((await request(client, host(index))).status);
    // REGISTRY_ONLY rejects the hosts that the sidecar has learnt. Hosts beyond the limit have no route.
    t.deepEqual([...new Set(statuses)], [502, 404]);
    t.is((await request(client, SECOND)).status, 200);
  },
);
