import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client, credentials, status } from '@grpc/grpc-js';
import test from 'ava';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { run } from '../../src/cli/run.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { connectClient } from '../xds/grpc-client.js';
import { discoveryRequest } from '../xds/session-rig.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { startServer } from './support/running-server.js';
import { startServerProcess } from './support/server-process.js';
import { openSilentPeer } from './support/silent-peer.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const WEB = 'outbound|80||web.shop.svc.cluster.local';
const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };

test('without distribution tracking, config_distribution says 409 and nonces have no root before them', async (t) => {
  const server = await startServer(t, {
    files: MESH,
    variables: { NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING: 'false' },
  });
  const client = connectClient(server.grpcPort, ADS);
  t.teardown(() => client.close());
  client.send({ node: sidecar().id, typeUrl: TypeUrl.cluster });
  t.regex((await client.response(0)).nonce, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const { status: code, body } = await server.http.get('/debug/config_distribution?resource=Service/shop/web');
  t.is(code, 409);
  t.regex(body, /NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING/);
});

test('with it, nonces begin with twelve characters that stay while the configuration does', async (t) => {
  const server = await startServer(t, { files: MESH });
  const nonces: string[] = [];
  for (const address of ['10.0.0.1', '10.0.0.2']) {
    const client = connectClient(server.grpcPort, ADS);
    t.teardown(() => client.close());
    client.send({ node: sidecar(address).id, typeUrl: TypeUrl.cluster });
    nonces.push((await client.response(0)).nonce);
  }
  const [first = '', second = ''] = nonces;
  t.regex(first, /^[A-Za-z0-9+/]{11}=[0-9a-f]{8}-/);
  t.is(first.slice(0, 12), second.slice(0, 12));
  t.is((await server.http.get('/debug/config_distribution')).status, 422);
  t.is((await server.http.get('/debug/config_distribution?resource=web')).status, 422);
});

test('old states expire after NAV_DISTRIBUTION_HISTORY_RETENTION, also for a proxy that still has one', async (t) => {
  const server = await startServer(t, {
    files: { ...MESH, 'pay.yaml': serviceEntry('pay') },
    variables: { NAV_DISTRIBUTION_HISTORY_RETENTION: '1ms' },
  });
  const proxy = await connectProxy(t, server, sidecar());
  const acked = async () =>
    (await server.http.json<Record<string, string>[]>('/debug/config_distribution?resource=ServiceEntry/shop/pay'))[0];
  await eventually('the first version is acknowledged', async () => (await acked())?.['cluster_acked'] !== undefined);
  proxy.pause();
  const change = async (host: string): Promise<void> => {
    const before = server.logged('push started').length;
    await server.folder.write('pay.yaml', serviceEntry('pay', { host }));
    await eventually('the change is pushed', () => server.logged('push started').length > before);
  };
  await change('b.example.com');
  await change('c.example.com');
  await change('d.example.com');
  t.is((await acked())?.['cluster_acked'], undefined);
  proxy.resume();
  await eventually('the newest is acknowledged', async () => (await acked())?.['cluster_acked'] !== undefined);
});

test('NAV_ENABLE_EDS_DEBOUNCE=false sends endpoints at once, while other changes wait', async (t) => {
  const server = await startServer(t, {
    files: MESH,
    variables: { NAV_ENABLE_EDS_DEBOUNCE: 'false', NAV_DEBOUNCE_AFTER: '1h', NAV_DEBOUNCE_MAX: '1h' },
  });
  const proxy = await connectProxy(t, server, sidecar());
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually(
    'the service is known',
    async () => (await server.http.metric('nav_inbound_updates{type="svc"}')) === 2,
  );
  await server.folder.write('web.yaml', documents(service('web'), endpoints('web', '10.0.0.7', '10.0.0.9')));
  await eventually('the endpoint is there', () =>
    JSON.stringify(proxy.resource(TypeUrl.endpoint, WEB)).includes('10.0.0.9'),
  );
  t.false(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'));
  t.deepEqual(
    (await server.http.family('nav_push_triggers')).map((line) => line.replace(/^.*"(.*)".*$/, '$1')).toSorted(),
    ['endpoint', 'proxy'],
  );
});

test('with it, endpoints wait like everything else and NAV_DEBOUNCE_MAX bounds the wait', async (t) => {
  const server = await startServer(t, {
    files: MESH,
    variables: { NAV_DEBOUNCE_AFTER: '1h', NAV_DEBOUNCE_MAX: '50ms' },
  });
  const proxy = await connectProxy(t, server, sidecar());
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  const isThere = (): boolean => proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com');
  await eventually('the service is there', isThere);
  t.true(isThere());
});

test('--keepaliveMaxServerConnectionAge asks proxies to reconnect, and they keep their configuration', async (t) => {
  const server = await startServer(t, { files: MESH, flags: ['--keepaliveMaxServerConnectionAge', '1s'] });
  const proxy = await connectProxy(t, server, sidecar());
  await eventually('the stream ends', () => proxy.error !== undefined);
  t.is(proxy.error?.code, status.UNAVAILABLE);
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  // The new connection is as short-lived.
  await eventually('it is served on a new connection', async () => {
    if (proxy.error !== undefined) proxy.reconnect();
    const isServed = proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com');
    return isServed && (await server.http.metric('nav_xds{version="unknown"}')) === 1;
  });
});

test('a peer that answers no pings is let go after --keepaliveInterval and --keepaliveTimeout', async (t) => {
  const server = await startServer(t, {
    files: MESH,
    flags: ['--keepaliveInterval', '200ms', '--keepaliveTimeout', '200ms'],
  });
  const silent = await openSilentPeer(server.grpcPort);
  t.teardown(() => void silent.destroy());
  const isGone = (): boolean => silent.destroyed || silent.readableEnded;
  await eventually('it is let go', isGone);
  t.true(isGone());
});

test('streams beyond MESH_GPRC_MAXSTREAMS of one connection wait until another one ends', async (t) => {
  const server = await startServer(t, { files: MESH, variables: { MESH_GPRC_MAXSTREAMS: '2' } });
  const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const same = (bytes: Buffer): Buffer => bytes;
  const answered: number[] = [];
  const calls = [1, 2, 3].map((last) => {
    const call = client.makeBidiStreamRequest(ADS, same, same);
    call.on('data', () => answered.push(last)).on('error', () => undefined);
    call.write(discoveryRequest({ node: sidecar(`10.0.0.${last}`).id, typeUrl: TypeUrl.cluster }));
    return call;
  });
  await eventually('two are served', () => answered.length === 2);
  t.is(await server.http.metric('nav_xds{version="unknown"}'), 2);
  calls[(answered[0] as number) - 1]?.cancel();
  await eventually('the third is served', () => new Set(answered).size === 3);
  for (const call of calls) call.cancel();
});

test('--registries Mock serves without a folder and without a cluster', async (t) => {
  const server = await startServer(t, { flags: ['--registries', 'Mock', '--configDir', ''] });
  const proxy = await connectProxy(t, server, sidecar());
  t.true(proxy.namesOf(TypeUrl.cluster).includes('BlackHoleCluster'));
  t.is((await server.http.get('/ready')).status, 200);
});

test('without the Orchestrator registry a folder is configuration alone: its Services are not read', async (t) => {
  const server = await startServer(t, {
    files: { ...MESH, 'pay.yaml': serviceEntry('pay') },
    flags: ['--registries', 'Mock'],
  });
  const proxy = await connectProxy(t, server, sidecar());
  t.deepEqual(
    proxy.namesOf(TypeUrl.cluster).filter((name) => name.startsWith('outbound')),
    ['outbound|80||pay.example.com'],
  );
});

test('settings whose feature is not implemented are named in one warning, and no others are', async (t) => {
  const server = startServerProcess(
    t,
    ['--configDir', 'samples/mesh', '--catalogserverURL', 'http://localhost', '--profile', '--domain', 'cluster.local'],
    { NAV_ENABLE_INCREMENTAL_MCP: 'true', NAV_DEBOUNCE_AFTER: '1ms' },
  );
  await server.ports();
  const warnings = server.log().filter(({ msg }) => msg === 'settings without effect yet');
  t.is(warnings.length, 1);
  const settings = warnings[0]?.['settings'] as readonly { setting: string; value: string; why: string }[];
  t.deepEqual(settings.map(({ setting }) => setting).toSorted(), ['--catalogserverURL', 'NAV_ENABLE_INCREMENTAL_MCP']);
  for (const { why } of settings) t.regex(why, /not implemented yet/);
});

test('request asks the running server, and version prints the same as /version', async (t) => {
  const server = await startServer(t, { files: MESH });
  const ask = async (...argv: readonly string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await run(
      argv,
      {
        env: {},
        stdin: new PassThrough(),
        stdout,
        stderr,
        colorDepth: 1,
        loadDiscovery: () => Promise.reject(new Error('not to be started')),
      },
      discoveryProgram,
    );
    stdout.end();
    stderr.end();
    return { code, stdout: await text(stdout), stderr: await text(stderr) };
  };
  const address = `--address=127.0.0.1:${server.monitoringPort}`;
  const registry = await ask('request', 'GET', '/debug/registryz', address);
  t.is(registry.code, 0);
  t.true(registry.stdout.includes('web.shop.svc.cluster.local'));
  const refused = await ask('request', 'GET', 'debug/config_distribution', address);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /received unsuccessful status code 422: .*resource is required/);
  const version = await ask('version');
  t.true((await server.http.get('/version')).body.startsWith(`${version.stdout.trim()}-`));
});
