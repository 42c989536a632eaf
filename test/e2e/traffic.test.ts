import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import {
  endpointsManifest,
  type ServiceOptions,
  serviceEntryManifest,
  serviceManifest,
} from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { activeListeners, countHops, countOfClusters } from './envoy-evidence.js';

interface Context {
  mesh: MeshRig;
  client: Sidecar;
  server: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER_ADDRESS = '10.244.0.6';
const ECHO_VIP = '10.96.0.10';
const ECHO_HOST = 'echo.default.svc.cluster.local';
const EXTERNAL_DNS_ADDRESS = '10.244.9.9';
const EXTERNAL_STATIC_ADDRESS = '10.244.9.10';
const EXTERNAL_PASSTHROUGH_ADDRESS = '10.244.9.11';
const UNKNOWN_ADDRESS = '10.244.9.12';

const ECHO: ServiceOptions = {
  name: 'echo',
  clusterIP: ECHO_VIP,
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'grpc', port: 9090 },
    { name: 'tcp', port: 9000 },
    { name: 'any', port: 7000 },
    { name: 'more', port: 7001 },
  ],
};
const STORE: ServiceOptions = { name: 'store', clusterIP: 'None', ports: [{ name: 'tcp-store', port: 9100 }] };

/** Two hosts without addresses that share a port; the names decide which of them is older. */
function sharedPort(number: number, tcpName: string, httpName: string): readonly Manifest[] {
  return [
    serviceEntryManifest(tcpName, {
      hosts: [`${tcpName}.example.com`],
      ports: [{ number, name: 'tcp', protocol: 'TCP', targetPort: 6001 }],
      resolution: 'STATIC',
      endpoints: [{ address: EXTERNAL_STATIC_ADDRESS }],
    }),
    serviceEntryManifest(httpName, {
      hosts: [`${httpName}.example.com`],
      ports: [{ number, name: 'http', protocol: 'HTTP', targetPort: 80 }],
      resolution: 'STATIC',
      endpoints: [{ address: EXTERNAL_DNS_ADDRESS }],
    }),
  ];
}

const SHARED_PORTS = [
  { port: 6200, tcp: 'a-tcp', http: 'b-http', order: 'TCP is older' },
  { port: 6201, tcp: 'd-tcp', http: 'c-http', order: 'HTTP is older' },
] as const;

const MESH: Readonly<Record<string, readonly Manifest[]>> = {
  'echo.yaml': [serviceManifest(ECHO), endpointsManifest(ECHO, [SERVER_ADDRESS])],
  'store.yaml': [serviceManifest(STORE), endpointsManifest(STORE, [SERVER_ADDRESS])],
  'external.yaml': [
    serviceEntryManifest('by-dns', {
      hosts: ['api.example.com'],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      resolution: 'DNS',
    }),
    serviceEntryManifest('by-address', {
      hosts: ['static.example.com'],
      addresses: ['10.96.50.1'],
      ports: [{ number: 6000, name: 'tcp', protocol: 'TCP', targetPort: 6001 }],
      resolution: 'STATIC',
      endpoints: [{ address: EXTERNAL_STATIC_ADDRESS }],
    }),
    serviceEntryManifest('by-original-destination', {
      hosts: ['raw.example.com'],
      addresses: [EXTERNAL_PASSTHROUGH_ADDRESS],
      ports: [{ number: 6100, name: 'tcp', protocol: 'TCP' }],
      resolution: 'NONE',
    }),
  ],
  'shared-ports.yaml': SHARED_PORTS.flatMap(({ port, tcp, http }) => sharedPort(port, tcp, http)),
};

/** Envoy detects HTTP even if the client is not scheduled between a connection and its first bytes. */
const PATIENT = '60s';
/** A server that speaks first waits for this long at the client's sidecar, and for a second at its own. */
const HASTY = '1s';
const meshConfig = (detectionTimeout: string) => `protocolDetectionTimeout: ${detectionTimeout}\n`;

test.before(async (t) => {
  if (available === undefined) return;
  const mesh = await createMeshRig(available, { files: MESH, meshConfig: meshConfig(PATIENT) });
  t.context.mesh = mesh;
  const { network, routerAgent } = mesh.rig;
  for (const address of [
    EXTERNAL_DNS_ADDRESS,
    EXTERNAL_STATIC_ADDRESS,
    EXTERNAL_PASSTHROUGH_ADDRESS,
    UNKNOWN_ADDRESS,
  ]) {
    await network.addRouterAddress(address);
  }
  await routerAgent.call('serveDns', {
    address: network.router.address,
    records: { 'api.example.com': [EXTERNAL_DNS_ADDRESS] },
  });
  await routerAgent.call('serveHttp', { name: 'api', port: 80, address: EXTERNAL_DNS_ADDRESS });
  await routerAgent.call('serveHttp', { name: 'unknown', port: 8081, address: UNKNOWN_ADDRESS });
  await routerAgent.call('serveTcp', { name: 'static', port: 6001, address: EXTERNAL_STATIC_ADDRESS });
  await routerAgent.call('serveTcp', { name: 'raw', port: 6100, address: EXTERNAL_PASSTHROUGH_ADDRESS });

  const server = await mesh.addSidecar({ name: 'echo-1', address: SERVER_ADDRESS });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 8080 });
  await server.agent.call('serveGrpc', { name: 'echo-1', port: 9090 });
  await server.agent.call('serveTcp', { name: 'echo-1', port: 9000 });
  await server.agent.call('serveTcp', { name: 'store-0', port: 9100 });
  await server.agent.call('serveHttp', { name: 'echo-1', port: 7000 });
  await server.agent.call('serveGreeter', { name: 'echo-1', port: 7001 });
  await server.agent.call('serveHttp', { name: 'unnamed', port: 7100 });
  await server.agent.call('serveGreeter', { name: 'unnamed', port: 7101 });
  const client = await mesh.addSidecar({ name: 'client', address: '10.244.0.5' });
  await Promise.all([server.envoy.ready(), client.envoy.ready()]);
  t.context = { mesh, client, server };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

e2eTest('Envoy accepts every cluster, listener, route configuration and load assignment', async (t) => {
  const { mesh, client, server } = t.context;
  for (const { envoy } of [client, server]) {
    t.true((await envoy.stat('cluster_manager.cds.update_success')) > 0);
    t.true((await envoy.stat('listener_manager.lds.update_success')) > 0);
    t.is(await envoy.stat('listener_manager.total_listeners_warming'), 0);
    t.is(await envoy.stat('cluster_manager.warming_clusters'), 0);
  }
  await t.notThrowsAsync(mesh.assertNothingRejected());
  await eventually('both sidecars have acknowledged what they were sent', async () => {
    const rows = await mesh.discovery.syncRows();
    return (
      rows.length === 2 &&
      rows.every(
        (row) =>
          row.cluster_sent !== undefined &&
          row.cluster_acked === row.cluster_sent &&
          row.listener_acked === row.listener_sent &&
          row.route_acked === row.route_sent &&
          row.endpoint_acked === row.endpoint_sent,
      )
    );
  });
});

e2eTest('an HTTP request goes from app to sidecar to sidecar to app', async (t) => {
  const { client, server } = t.context;
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: `outbound|80||${ECHO_HOST}`,
      to: server.envoy,
      inboundCluster: 'inbound|80|',
      counter: 'upstream_rq_total',
    },
    () =>
      client.agent.requestEcho(`http://${ECHO_VIP}/books?id=7`, {
        method: 'POST',
        headers: { host: 'echo' },
        body: 'hello',
      }),
  );
  t.is(result.name, 'echo-1');
  t.is(result.method, 'POST');
  t.is(result.path, '/books?id=7');
  t.is(result.body, 'hello');
  t.truthy(result.headers['x-request-id'], 'the sidecar gave the request an id');
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

for (const host of ['echo', 'echo:80', 'echo.default', 'echo.default.svc', ECHO_HOST, `${ECHO_HOST}:80`, ECHO_VIP]) {
  e2eTest(`an app reaches an HTTP service under the host ${host}`, async (t) => {
    const { client } = t.context;
    const before = await countOfClusters(client.envoy, `outbound|80||${ECHO_HOST}`, 'upstream_rq_total');
    t.is((await client.agent.requestEcho(`http://${ECHO_VIP}/`, { headers: { host } })).name, 'echo-1');
    t.is(await countOfClusters(client.envoy, `outbound|80||${ECHO_HOST}`, 'upstream_rq_total'), before + 1);
  });
}

e2eTest('a gRPC call goes from app to sidecar to sidecar to app', async (t) => {
  const { client, server } = t.context;
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: `outbound|9090||${ECHO_HOST}`,
      to: server.envoy,
      inboundCluster: 'inbound|9090|',
      counter: 'upstream_rq_total',
    },
    () =>
      client.agent.call('callGrpc', {
        address: ECHO_VIP,
        port: 9090,
        authority: `${ECHO_HOST}:9090`,
        message: 'hello',
      }),
  );
  t.is(result.name, 'echo-1');
  t.is(result.message, 'hello');
  t.truthy(result.metadata['x-request-id']);
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

e2eTest('a plain TCP connection goes from app to sidecar to sidecar to app', async (t) => {
  const { client, server } = t.context;
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: `outbound|9000||${ECHO_HOST}`,
      to: server.envoy,
      inboundCluster: 'inbound|9000|',
      counter: 'upstream_cx_total',
    },
    () => client.agent.call('exchangeTcp', { address: ECHO_VIP, port: 9000, send: 'ping', until: 'ping' }),
  );
  t.is(result, 'echo-1: ping');
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

e2eTest("a headless service is reached at its pod's own address", async (t) => {
  const { client, server } = t.context;
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: 'outbound|9100||store.default.svc.cluster.local',
      to: server.envoy,
      inboundCluster: 'inbound|9100|',
      counter: 'upstream_cx_total',
    },
    () => client.agent.call('exchangeTcp', { address: SERVER_ADDRESS, port: 9100, send: 'ping', until: 'ping' }),
  );
  t.is(result, 'store-0: ping');
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

e2eTest('a port of unknown protocol carries HTTP as HTTP', async (t) => {
  const { client, server } = t.context;
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: `outbound|7000||${ECHO_HOST}`,
      to: server.envoy,
      inboundCluster: 'inbound|7000|',
      counter: 'upstream_rq_total',
    },
    () => client.agent.requestEcho(`http://${ECHO_VIP}:7000/`, { headers: { host: `${ECHO_HOST}:7000` } }),
  );
  t.is(result.name, 'echo-1');
  t.truthy(result.headers['x-request-id'], 'it was routed as HTTP, not passed on as bytes');
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

e2eTest('a port of unknown protocol carries raw TCP from a client that speaks first', async (t) => {
  const { client } = t.context;
  const before = await countOfClusters(client.envoy, `outbound|7001||${ECHO_HOST}`, 'upstream_cx_total');
  const answer = await client.agent.call('exchangeTcp', {
    address: ECHO_VIP,
    port: 7001,
    send: '\u0001\u0002binary\n',
    until: 'binary',
  });
  t.true(answer.endsWith('echo-1: \u0001\u0002binary\n'));
  t.is(await countOfClusters(client.envoy, `outbound|7001||${ECHO_HOST}`, 'upstream_cx_total'), before + 1);
});

e2eTest('the sidecar resolves a ServiceEntry with resolution DNS, whatever address the app connects to', async (t) => {
  const { client } = t.context;
  const echo = await eventually('the sidecar has resolved the name', () =>
    client.agent.requestEcho('http://203.0.113.1/v1', { headers: { host: 'api.example.com' } }),
  );
  t.is(echo.name, 'api');
  t.true((await countOfClusters(client.envoy, 'outbound|80||api.example.com', 'upstream_rq_200')) > 0);
});

e2eTest('a ServiceEntry with resolution STATIC sends its virtual address to its endpoint', async (t) => {
  const { client } = t.context;
  const answer = await client.agent.call('exchangeTcp', {
    address: '10.96.50.1',
    port: 6000,
    send: 'ping',
    until: 'ping',
  });
  t.is(answer, 'static: ping');
  t.is(await countOfClusters(client.envoy, 'outbound|6000||static.example.com', 'upstream_cx_total'), 1);
});

for (const { port, tcp, http, order } of SHARED_PORTS) {
  e2eTest(
    `hosts without addresses share a port, where ${order}: HTTP is routed by host, other traffic to TCP`,
    async (t) => {
      const { client } = t.context;
      const echo = await client.agent.requestEcho(`http://203.0.113.2:${port}/`, {
        headers: { host: `${http}.example.com:${port}` },
      });
      t.is(echo.name, 'api');
      t.is(await countOfClusters(client.envoy, `outbound|${port}||${http}.example.com`, 'upstream_rq_total'), 1);
      // Its first byte begins no request of HTTP.
      const target = { address: '203.0.113.2', port, send: '\u0001ping', until: 'ping' };
      t.is(await client.agent.call('exchangeTcp', target), 'static: \u0001ping');
      t.is(await countOfClusters(client.envoy, `outbound|${port}||${tcp}.example.com`, 'upstream_cx_total'), 1);
    },
  );
}

e2eTest('a ServiceEntry with resolution NONE keeps the address that the app connected to', async (t) => {
  const { client } = t.context;
  const target = { address: EXTERNAL_PASSTHROUGH_ADDRESS, port: 6100, send: 'ping', until: 'ping' };
  t.is(await client.agent.call('exchangeTcp', target), 'raw: ping');
  t.is(await countOfClusters(client.envoy, 'outbound|6100||raw.example.com', 'upstream_cx_total'), 1);
});

/** From now on, the client's sidecar waits only for a moment for the first bytes of a client. */
async function detectHastily({ mesh, client }: Context): Promise<void> {
  await mesh.discovery.writeMeshConfig(meshConfig(HASTY));
  await eventually('no listener of the client is patient', async () => {
    const active = (await activeListeners(client.envoy)).join();
    return active.includes(`"listener_filters_timeout":"${HASTY}"`) && !active.includes(`"${PATIENT}"`);
  });
}

e2eTest('a port of unknown protocol carries a server that speaks first', async (t) => {
  const { client, server } = t.context;
  await detectHastily(t.context);
  const { result, hops } = await countHops(
    {
      from: client.envoy,
      outboundCluster: `outbound|7001||${ECHO_HOST}`,
      to: server.envoy,
      inboundCluster: 'inbound|7001|',
      counter: 'upstream_cx_total',
    },
    () => client.agent.call('exchangeTcp', { address: ECHO_VIP, port: 7001, send: '', until: '\n' }),
  );
  t.is(result, 'hello from echo-1\n');
  t.deepEqual(hops, { outbound: 1, inbound: 1 });
});

for (const [what, port] of [
  ['HTTP', 7100],
  ['raw TCP', 7101],
] as const) {
  e2eTest(`${what} to a port that no service names passes through both sidecars`, async (t) => {
    const { client, server } = t.context;
    await detectHastily(t.context);
    const { result, hops } = await countHops(
      {
        from: client.envoy,
        outboundCluster: 'PassthroughCluster',
        to: server.envoy,
        inboundCluster: 'InboundPassthroughCluster',
        counter: 'upstream_cx_total',
      },
      () =>
        what === 'HTTP'
          ? client.agent.requestEcho(`http://${SERVER_ADDRESS}:${port}/`).then(({ name }) => name)
          : client.agent.call('exchangeTcp', { address: SERVER_ADDRESS, port, send: '', until: '\n' }),
    );
    t.is(result, what === 'HTTP' ? 'unnamed' : 'hello from unnamed\n');
    t.deepEqual(hops, { outbound: 1, inbound: 1 });
  });
}

e2eTest('requests to an unknown host pass until the mesh config sets REGISTRY_ONLY', async (t) => {
  const { mesh, client } = t.context;
  const unknownPort = `http://${UNKNOWN_ADDRESS}:8081/`;
  t.is((await client.agent.requestEcho(unknownPort)).name, 'unknown');
  t.true((await countOfClusters(client.envoy, 'PassthroughCluster', 'upstream_cx_total')) > 0);

  const knownPort = { headers: { host: 'unknown.example.com' } };
  t.is((await client.agent.requestEcho(`http://${EXTERNAL_DNS_ADDRESS}/`, knownPort)).name, 'api');

  await mesh.discovery.writeMeshConfig(`${meshConfig(HASTY)}outboundTrafficPolicy: { mode: REGISTRY_ONLY }\n`);
  await eventually('an unknown host on a known HTTP port is answered with 502', async () => {
    const { status } = await client.agent.request(`http://${EXTERNAL_DNS_ADDRESS}/`, knownPort);
    return status === 502;
  });
  await eventually('a connection to an unknown address is closed', async () => {
    const outcome = await client.agent.request(unknownPort).then(
      () => 'answered',
      () => 'closed',
    );
    return outcome === 'closed';
  });
  t.is((await client.agent.requestEcho(`http://${ECHO_VIP}/`, { headers: { host: 'echo' } })).name, 'echo-1');
});
