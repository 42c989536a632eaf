import anyTest, { type TestFn } from 'ava';
import type { ServiceOptions } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { countOfClusters } from './envoy-evidence.js';
import { createRoot, issueFor, type KeyPair } from './plugged-in-authority.js';
import {
  createSecuredMesh,
  type PodOptions,
  peerAuthenticationManifest,
  podManifest,
  type SecuredMesh,
  serviceOn,
  spiffeId,
} from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  open: Sidecar;
  safe: Sidecar;
  client: Sidecar;
  plain: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const OPEN: PodOptions = {
  name: 'open-1',
  namespace: 'default',
  address: '10.244.0.6',
  serviceAccount: 'open',
  isSecured: true,
};
const SAFE: PodOptions = { ...OPEN, name: 'safe-1', namespace: 'safe', address: '10.244.0.7', serviceAccount: 'safe' };
const CLIENT: PodOptions = { ...OPEN, name: 'client-1', address: '10.244.0.5', serviceAccount: 'client' };
const PLAIN: PodOptions = {
  ...CLIENT,
  name: 'plain-1',
  address: '10.244.0.8',
  serviceAccount: 'plain',
  isSecured: false,
};

const PORTS: ServiceOptions['ports'] = [
  { name: 'http', port: 80, targetPort: 8080 },
  { name: 'grpc', port: 9090 },
  { name: 'tcp', port: 9000 },
  { name: 'any', port: 7000 },
  { name: 'tls', port: 8443 },
];
const OPEN_SERVICE: ServiceOptions = { name: 'open', clusterIP: '10.96.0.10', ports: PORTS };
const SAFE_SERVICE: ServiceOptions = { name: 'safe', namespace: 'safe', clusterIP: '10.96.0.11', ports: PORTS };
const POOL: ServiceOptions = {
  name: 'pool',
  namespace: 'safe',
  clusterIP: 'None',
  ports: [{ name: 'tcp-pool', port: 9100 }],
};
/** Of no service. */
const UNCLAIMED_PORT = 7100;
const UNCLAIMED_TCP_PORT = 7101;

const FILES = {
  'pods.yaml': [OPEN, SAFE, CLIENT, PLAIN].map(podManifest),
  'open.yaml': serviceOn(OPEN_SERVICE, OPEN),
  'safe.yaml': [...serviceOn(SAFE_SERVICE, SAFE), ...serviceOn(POOL, SAFE)],
  'strict.yaml': [peerAuthenticationManifest('safe', { mtls: { mode: 'STRICT' } })],
};

const host = ({ name, namespace = 'default' }: ServiceOptions): string => `${name}.${namespace}.svc.cluster.local`;

async function serveEverything({ agent }: Sidecar, name: string): Promise<void> {
  const own = createTestAuthority('an authority of its own').issue({ dnsNames: [`${name}.example.com`] });
  await agent.call('serveHttp', { name, port: 8080 });
  await agent.call('serveGrpc', { name, port: 9090 });
  await agent.call('serveTcp', { name, port: 9000 });
  await agent.call('serveHttp', { name, port: 7000 });
  await agent.call('serveTls', { name, port: 8443, applicationProtocols: ['http/1.1'], ...own });
  await agent.call('serveTcp', { name, port: 9100 });
  await agent.call('serveHttp', { name, port: UNCLAIMED_PORT });
  await agent.call('serveTcp', { name, port: UNCLAIMED_TCP_PORT });
}

test.before(async (t) => {
  if (available === undefined) return;
  const secured = await createSecuredMesh(available, { files: FILES });
  Object.assign(t.context, { secured });
  const [open, safe, client, plain] = await Promise.all([OPEN, SAFE, CLIENT, PLAIN].map(secured.addPod));
  if (!open || !safe || !client || !plain) throw new Error('a sidecar is missing');
  await serveEverything(open, 'open');
  await serveEverything(safe, 'safe');
  await Promise.all([open, safe, client, plain].map(({ envoy }) => envoy.ready()));
  t.context = { secured, open, safe, client, plain };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  await t.context.secured?.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

const http = ({ agent }: Sidecar, service: ServiceOptions, headers: Readonly<Record<string, string>> = {}) =>
  agent.request(`http://${service.clusterIP}/`, { headers: { host: host(service), ...headers } });
const tcp = ({ agent }: Sidecar, address: string, port: number) =>
  agent.call('exchangeTcp', { address, port, send: 'a message', until: 'a message' });
const headersOf = (body: string) => (JSON.parse(body) as { headers: Record<string, string> }).headers;
const handshakes = ({ envoy }: Sidecar, service: ServiceOptions, port: number) =>
  countOfClusters(envoy, `outbound|${port}||${host(service)}`, 'ssl.handshake');

for (const [what, service, pod] of [
  ['PERMISSIVE', OPEN_SERVICE, OPEN],
  ['STRICT', SAFE_SERVICE, SAFE],
] as const) {
  const { clusterIP } = service;

  e2eTest(`two sidecars speak mutual TLS in ${what}, and the app gets the identity of the caller`, async (t) => {
    const { client } = t.context;
    const { status, body } = await http(client, service, { 'x-forwarded-client-cert': 'URI=spiffe://forged' });
    t.is(status, 200, body);
    const { ['x-forwarded-client-cert']: caller = '' } = headersOf(body);
    t.regex(caller, new RegExp(`^By=${spiffeId(pod)};Hash=[0-9a-f]{64};.*URI=${spiffeId(CLIENT)}$`));
    t.true((await handshakes(client, service, 80)) > 0);
  });

  e2eTest(`gRPC, bytes, and HTTP on a port of unknown protocol travel in mutual TLS in ${what}`, async (t) => {
    const { client } = t.context;
    const call = { address: clusterIP, port: 9090, authority: `${host(service)}:9090`, message: 'hello' };
    const grpc = await client.agent.call('callGrpc', call);
    t.true(grpc.metadata['x-forwarded-client-cert']?.includes(spiffeId(CLIENT)));
    t.is(await tcp(client, clusterIP, 9000), `${service.name}: a message`);
    // Known as HTTP inside of the TLS: it has a caller.
    const any = await client.agent.requestEcho(`http://${clusterIP}:7000/`, {
      headers: { host: `${host(service)}:7000` },
    });
    t.true(String(any.headers['x-forwarded-client-cert']).includes(spiffeId(CLIENT)));
    // And bytes on the same port.
    await t.throwsAsync(tcp(client, clusterIP, 7000), { message: /400 Bad Request|closed|ECONNRESET/ });
    for (const port of [9090, 9000, 7000]) t.true((await handshakes(client, service, port)) > 0, String(port));
  });

  e2eTest(`an app's own TLS passes through two sidecars in ${what}`, async (t) => {
    const answer = await t.context.client.agent.call('exchangeTls', ownTls(clusterIP));
    t.is(answer.received, `${service.name}: a message`);
    t.is(answer.serverNames, `DNS:${service.name}.example.com`);
    t.true((await handshakes(t.context.client, service, 8443)) > 0);
  });
}

const ownTls = (address: string) => ({
  address,
  port: 8443,
  serverName: 'open.example.com',
  applicationProtocols: ['http/1.1'],
  send: 'a message',
  until: 'a message',
});

e2eTest('a headless service in STRICT is reached at its pod, in mutual TLS', async (t) => {
  const { client } = t.context;
  t.is(await tcp(client, SAFE.address, 9100), 'safe: a message');
  t.is(await handshakes(client, POOL, 9100), 1);
});

e2eTest('a caller without a certificate is served in PERMISSIVE, without an identity', async (t) => {
  const { plain } = t.context;
  const { status, body } = await http(plain, OPEN_SERVICE, { 'x-forwarded-client-cert': `URI=${spiffeId(CLIENT)}` });
  t.is(status, 200, body);
  t.is(headersOf(body)['x-forwarded-client-cert'], undefined);
  t.is(await tcp(plain, OPEN_SERVICE.clusterIP, 9000), 'open: a message');
  t.is((await plain.agent.requestEcho(`http://${OPEN.address}:${UNCLAIMED_PORT}/`)).name, 'open');
  t.is(await handshakes(plain, OPEN_SERVICE, 80), 0);
});

e2eTest("an app's own TLS from a caller without a certificate reaches the app untouched in PERMISSIVE", async (t) => {
  const answer = await t.context.plain.agent.call('exchangeTls', ownTls(OPEN_SERVICE.clusterIP));
  t.like(answer, {
    received: 'open: a message',
    serverNames: 'DNS:open.example.com',
    applicationProtocol: 'http/1.1',
  });
});

e2eTest(
  'a caller without a certificate is rejected on every port in STRICT, including ports without a service',
  async (t) => {
    const { plain, safe } = t.context;
    const refused = /ECONNRESET|closed|disconnected|socket hang up|alert certificate required/;
    t.is((await http(plain, SAFE_SERVICE)).status, 503);
    await t.throwsAsync(tcp(plain, SAFE_SERVICE.clusterIP, 9000), { message: refused });
    await t.throwsAsync(plain.agent.call('exchangeTls', ownTls(SAFE_SERVICE.clusterIP)), { message: refused });
    await t.throwsAsync(tcp(plain, SAFE.address, 9100), { message: refused });
    for (const port of [8080, UNCLAIMED_PORT]) {
      await t.throwsAsync(plain.agent.request(`http://${SAFE.address}:${port}/`), { message: refused }, String(port));
    }
    await t.throwsAsync(tcp(plain, SAFE.address, UNCLAIMED_TCP_PORT), { message: refused });
    t.true((await safe.envoy.stat('listener.0.0.0.0_15006.no_filter_chain_match')) > 0);
  },
);

e2eTest(
  'STRICT accepts a certificate of the mesh; it rejects no certificate, a foreign one, and another trust domain',
  async (t) => {
    const { secured } = t.context;
    const router = secured.mesh.rig.routerAgent;
    const connect = (identity?: KeyPair) =>
      router.call('exchangeTls', {
        address: SAFE.address,
        port: UNCLAIMED_TCP_PORT,
        serverName: 'safe',
        applicationProtocols: ['mesh'],
        ...identity,
        send: 'a message',
        until: 'a message',
      });
    const good = await connect(await issueFor(secured.root, spiffeId(CLIENT)));
    t.is(good.received, 'safe: a message');
    t.is(good.serverNames, `URI:${spiffeId(SAFE)}`);
    const foreign = await createRoot();
    const refused: Readonly<Record<string, KeyPair | undefined>> = {
      none: undefined,
      'of another authority': await issueFor(foreign, spiffeId(CLIENT)),
      'of another trust domain': await issueFor(secured.root, 'spiffe://elsewhere/ns/default/sa/client'),
      'of a trust domain that begins like ours': await issueFor(secured.root, 'spiffe://cluster.local.evil/ns/a/sa/b'),
    };
    for (const [what, identity] of Object.entries(refused)) {
      await t.throwsAsync(connect(identity), { message: /alert|ECONNRESET|closed/ }, what);
    }
  },
);

e2eTest('a client rejects a server with the identity of another service', async (t) => {
  const { secured, client } = t.context;
  // An endpoint of another service is configured for this one, so its sidecar has the wrong identity.
  const stray: ServiceOptions = {
    name: 'stray',
    clusterIP: '10.96.0.12',
    ports: [{ name: 'tcp', port: 9200, targetPort: 9000 }],
  };
  const lying = { ...OPEN, name: 'lying-1', address: '10.244.0.99', serviceAccount: 'stray' };
  await secured.mesh.rig.network.addRouterAddress(lying.address);
  const router = secured.mesh.rig.routerAgent;
  const identity = await issueFor(secured.root, spiffeId(OPEN));
  await router.call('serveTls', {
    name: 'lying',
    port: 9000,
    address: lying.address,
    applicationProtocols: ['mesh'],
    ...identity,
  });
  await secured.mesh.discovery.configFolder.write('stray.yaml', [podManifest(lying), ...serviceOn(stray, lying)]);
  const cluster = `outbound|9200||${host(stray)}`;
  await eventually('the sidecar knows the service', async () => {
    return (await client.envoy.stat(`cluster.${cluster}.membership_total`)) === 1;
  });
  // A sidecar gets its listeners after its clusters; until then a connection goes to the service's address, where nothing listens.
  await eventually('each connection is refused, and one of them for the identity of the server', async () => {
    await t.throwsAsync(tcp(client, stray.clusterIP, 9200), { message: /ECONNRESET|closed/ });
    return (await countOfClusters(client.envoy, cluster, 'ssl.fail_verify_san')) > 0;
  });
});

e2eTest('a change of mode is in force for both sides: STRICT, then DISABLE, then STRICT', async (t) => {
  const { secured, client, plain } = t.context;
  const setMode = (mode: string) =>
    secured.mesh.discovery.configFolder.write('default.yaml', [
      peerAuthenticationManifest('default', { mtls: { mode } }),
    ]);
  const plainOutcome = () =>
    tcp(plain, OPEN_SERVICE.clusterIP, 9000).then(
      () => 'served',
      () => 'refused',
    );
  for (const [mode, outcome] of [
    ['STRICT', 'refused'],
    ['DISABLE', 'served'],
    ['STRICT', 'refused'],
  ] as const) {
    await setMode(mode);
    await eventually(`${mode}: a caller without a certificate is ${outcome}`, async () => {
      return (await plainOutcome()) === outcome;
    });
    const isTls = mode !== 'DISABLE';
    await eventually(`${mode}: the other caller ${isTls ? 'uses TLS' : 'uses none'}`, async () => {
      const before = await handshakes(client, OPEN_SERVICE, 9000);
      const answer = await tcp(client, OPEN_SERVICE.clusterIP, 9000);
      return answer === 'open: a message' && (await handshakes(client, OPEN_SERVICE, 9000)) > before === isTls;
    });
  }
  await secured.mesh.discovery.configFolder.remove('default.yaml');
  await eventually('PERMISSIVE again', async () => (await plainOutcome()) === 'served');
  t.is((await http(plain, OPEN_SERVICE)).status, 200);
});

e2eTest('no page and no log line of the control plane contains a private key', async (t) => {
  const { discovery } = t.context.secured.mesh;
  const pages = [
    'adsz',
    'syncz',
    'configz',
    'cdsz',
    'registryz',
    'config_dump?proxyID=safe-1',
    'edsz?proxyID=client-1',
  ];
  for (const page of pages) {
    const text = await discovery.get(`/debug/${page}`);
    t.false(text.includes('PRIVATE KEY'), page);
    t.true(text.length > 2, page);
  }
  t.false(discovery.logLines().join('\n').includes('PRIVATE KEY'));
});
