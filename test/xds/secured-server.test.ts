import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { ApiAnswer } from '../../src/kubernetes/client/api-sender.js';
import type { TurnOwner } from '../../src/push/waiting-targets.js';
import { DISCOVERY_METHODS } from '../../src/xds/discovery-services.js';
import { unsignedToken } from '../ca/authentication/credentials.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { deltaRequest } from './delta/delta-messages.js';
import { ADS, createSecuredRig, type SecuredRig } from './secured-rig.js';
import { discoveryRequest } from './session-rig.js';

const CART = 'spiffe://cluster.local/ns/shop/sa/cart';
const NODE = 'sidecar~10.0.0.1~cart-1.shop~shop.svc.cluster.local';
const CLIENT_STATUS = '/envoy.service.status.v3.ClientStatusDiscoveryService/StreamClientStatus';
const LOAD_REPORTS = '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats';
const CLUSTERS = { typeUrl: TypeUrl.cluster } as const;

const token = unsignedToken({ sub: 'cart', exp: 4_000_000_000 });
const bearer = { authorization: `Bearer ${token}` } as const;
const reviewed = (username: string): ApiAnswer => ({
  status: 201,
  body: {
    status: {
      authenticated: true,
      user: { username, groups: ['system:serviceaccounts'] },
      audiences: ['mesh-ca'],
    },
  },
  retryAfterMs: undefined,
});
const reviewCart = async (): Promise<ApiAnswer> => reviewed('system:serviceaccount:shop:cart');

const tlsOptions = ({ port, authority }: SecuredRig) => ({
  host: '127.0.0.1',
  port,
  servername: 'meshd.test',
  ca: authority.certificate,
  ALPNProtocols: ['h2'],
});

const identities = ({ sessions }: SecuredRig) => [...sessions].map(({ identity }) => identity);

test('a workload with its certificate is served, and its session has its identity', async (t) => {
  const rig = await createSecuredRig(t);
  const client = rig.connect({ channel: rig.channel({ uris: [CART] }) });
  client.send({ node: `${NODE}##cart`, ...CLUSTERS });
  t.deepEqual((await client.response(0)).bodies, ['a=1', 'b=1']);
  t.deepEqual(identities(rig), [{ trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'cart' }]);
});

test('a new stream waits for the turn of its address until its caller is authenticated, then for the turn of its caller', async (t) => {
  const owners: TurnOwner[] = [];
  const rig = await createSecuredRig(t, { onTurn: (owner) => owners.push(owner) });
  const client = rig.connect({ channel: rig.channel({ uris: [CART] }) });
  client.send({ node: NODE, ...CLUSTERS });
  await client.response(0);
  t.deepEqual(
    owners.map(({ peer }) => peer),
    ['unproven 127.0.0.1', `authenticated ${CART}`],
  );
  t.regex(owners[0]?.source ?? '', /^127\.0\.0\.1:\d+$/);
});

test('a workload whose certificate is behind an intermediate one is served', async (t) => {
  const rig = await createSecuredRig(t);
  const intermediate = rig.authority.intermediate('cluster');
  const { certificate, key } = intermediate.issue({ uris: [CART] });
  const chain = Buffer.from(certificate + intermediate.certificate);
  const client = rig.connect({
    channel: credentials.createSsl(Buffer.from(rig.authority.certificate), Buffer.from(key), chain),
  });
  client.send({ node: NODE, ...CLUSTERS });
  await client.response(0);
  t.is(identities(rig)[0]?.serviceAccount, 'cart');
});

test('a workload with its token is served, also without SERVICE_ACCOUNT', async (t) => {
  const rig = await createSecuredRig(t, { review: reviewCart });
  const client = rig.connect({ channel: rig.channel(), metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  t.deepEqual((await client.response(0)).bodies, ['a=1', 'b=1']);
  t.is(identities(rig)[0]?.serviceAccount, 'cart');
});

test('requests that come before authentication wait, and are answered in order', async (t) => {
  const answers: ((answer: ApiAnswer) => void)[] = [];
  const rig = await createSecuredRig(t, { review: () => new Promise((give) => answers.push(give)) });
  const client = rig.connect({ channel: rig.channel(), metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  await eventually('the question', () => answers.length === 1);
  t.is(rig.sessions.size, 0);
  answers[0]?.(await reviewCart());
  await client.response(1);
  t.deepEqual(
    client.responses.map(({ bodies }) => bodies),
    [['a=1', 'b=1'], ['a=1']],
  );
});

test('requests of an unauthenticated caller wait on its own side', async (t) => {
  let asked = false;
  const rig = await createSecuredRig(t, {
    review: () => {
      asked = true;
      return new Promise(() => undefined);
    },
  });
  const session = connectHttp2('https://meshd.test', { createConnection: () => connectTls(tlsOptions(rig)) });
  session.on('error', () => undefined);
  const stream = session.request({ ':method': 'POST', ':path': ADS, 'content-type': 'application/grpc', ...bearer });
  stream.on('error', () => undefined);
  const message = Buffer.alloc(1024 * 1024);
  message.writeUInt32BE(message.length - 5, 1);
  for (let times = 0; times < 16; times++) stream.write(message);
  await eventually('the question', () => asked);
  for (let times = 0; times < 20; times++) {
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
  }
  t.true(stream.writableLength > 15 * 1024 * 1024, `${stream.writableLength} bytes are left`);
  session.destroy();
});

for (const { service, method } of DISCOVERY_METHODS) {
  test(`${service}/${method} rejects a caller without credentials`, async (t) => {
    const rig = await createSecuredRig(t);
    const client = rig.connect({ channel: rig.channel() }, `/${service}/${method}`);
    client.send({ node: NODE });
    const { code, details } = await client.ended();
    t.is(code, status.UNAUTHENTICATED);
    t.is(details, 'authentication failure: the caller has shown neither a client certificate nor a bearer token');
    t.is(rig.sessions.size, 0);
    t.deepEqual(rig.refusedStreams, ['authentication']);
  });
}

for (const [what, node, uri, claim] of [
  ['the node id of another namespace', 'sidecar~10.0.0.2~pay-1.bank~bank.svc.cluster.local', CART, 'namespace bank'],
  ['another namespace in its metadata', `${NODE}#bank`, CART, 'namespace bank (node ID: shop)'],
  [
    'the node id of another namespace, and its own in the metadata',
    'sidecar~10.0.0.2~pay-1.bank~bank.svc.cluster.local#shop',
    CART,
    'namespace shop (node ID: bank)',
  ],
  ['another service account', `${NODE}##admin`, CART, 'namespace shop, service account admin'],
] as const) {
  test(`a workload that claims ${what} is refused with both named, counted and logged`, async (t) => {
    const rig = await createSecuredRig(t);
    const client = rig.connect({ channel: rig.channel({ uris: [uri] }) });
    client.send({ node, ...CLUSTERS });
    const { code, details } = await client.ended();
    t.is(code, status.PERMISSION_DENIED);
    t.is(details, `authorization failed: the node claims ${claim}; the caller is ${uri}`);
    t.deepEqual(rig.refusedStreams, ['authorization']);
    t.is(client.responses.length, 0);
    t.is(rig.sessions.size, 0);
    t.is(rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
  });
}

for (const [what, path, request] of [
  [
    'fetches',
    '/envoy.service.cluster.v3.ClusterDiscoveryService/FetchClusters',
    discoveryRequest({ node: `${NODE}#bank`, ...CLUSTERS }),
  ],
  [
    'reports its load',
    '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats',
    deltaRequest({ node: `${NODE}#bank` }),
  ],
] as const) {
  test(`a workload that ${what} with the node of another namespace is refused`, async (t) => {
    const rig = await createSecuredRig(t);
    const client = rig.connect({ channel: rig.channel({ uris: [CART] }) }, path);
    client.sendBytes(request);
    t.is((await client.ended()).code, status.PERMISSION_DENIED);
    t.is(client.messages.length, 0);
    t.deepEqual(rig.refusedStreams, ['authorization']);
  });
}

test('a workload learns nothing about the proxies of another namespace, whatever node it names', async (t) => {
  const rig = await createSecuredRig(t);
  const proxy = rig.connect({ channel: rig.channel({ uris: [CART] }) });
  proxy.send({ node: NODE, ...CLUSTERS });
  await proxy.response(0);
  const askAs = async (uri: string): Promise<Buffer> => {
    const client = rig.connect({ channel: rig.channel({ uris: [uri] }) }, CLIENT_STATUS);
    // The field `node` of a ClientStatusRequest has another number, and counts for nothing.
    client.sendBytes(discoveryRequest({ node: NODE }));
    await eventually('the status', () => client.messages.length === 1);
    return client.messages[0] as Buffer;
  };
  t.is((await askAs('spiffe://cluster.local/ns/bank/sa/cart')).length, 0);
  t.true((await askAs(CART)).includes('cart-1.shop'));
  const { nonce } = await proxy.response(0);
  proxy.send({ ...CLUSTERS, nonce, error: 'no such file: quoted' });
  await eventually('the rejection', async () => (await askAs(CART)).includes('no such file: quoted'));
  const other = await askAs('spiffe://cluster.local/ns/shop/sa/other');
  t.true(other.includes('cart-1.shop'));
  t.true(other.includes('the log of the proxy has the reason'));
  t.false(other.includes('quoted'));
});

test('a stolen node is logged once per peer, however often it comes, and counted each time', async (t) => {
  const rig = await createSecuredRig(t);
  for (let times = 1; times <= 5; times++) {
    const client = rig.connect({ channel: rig.channel({ uris: [CART] }) });
    client.send({ node: `${NODE}#bank`, ...CLUSTERS });
    t.is((await client.ended()).code, status.PERMISSION_DENIED);
    t.is(rig.refusedStreams.length, times);
  }
  t.is(rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
});

for (const [what, certificate, reason] of [
  [
    'of a foreign trust domain',
    { uris: ['spiffe://evil.example/ns/shop/sa/cart'] },
    /trust domain evil.example .*not trusted/,
  ],
  ['with two URI names', { uris: [CART, 'spiffe://cluster.local/ns/bank/sa/pay'] }, /exactly one URI name, it has 2/],
  ['with no URI name', { dnsNames: ['cart.shop'] }, /exactly one URI name, it has 0/],
] as const) {
  test(`a certificate ${what} does not let its caller in`, async (t) => {
    const rig = await createSecuredRig(t);
    const client = rig.connect({ channel: rig.channel(certificate) });
    client.send({ node: NODE, ...CLUSTERS });
    const { code, details } = await client.ended();
    t.is(code, status.UNAUTHENTICATED);
    t.regex(details, reason);
  });
}

test('a workload of another trust domain with a bundle is served, and gets no certificate of this mesh', async (t) => {
  const partner = createTestAuthority('partner');
  const rig = await createSecuredRig(t, { partner });
  const uris = ['spiffe://partner.example/ns/shop/sa/cart'];
  const client = rig.connect({ channel: rig.channel({ uris }, partner) });
  client.send({ node: NODE, typeUrl: TypeUrl.secret, names: ['default'] });
  client.send(CLUSTERS);
  t.deepEqual((await client.response(0)).bodies, ['a=1', 'b=1']);
  const [session] = rig.sessions;
  t.is(session?.identity?.trustDomain, 'partner.example');
  t.false(session?.proxy?.hasSecrets);
  t.is(client.responses.length, 1);
});

test('the authority of another trust domain cannot certify workloads of this one', async (t) => {
  const partner = createTestAuthority('partner');
  const rig = await createSecuredRig(t, { partner });
  const client = rig.connect({ channel: rig.channel({ uris: [CART] }, partner) });
  client.send({ node: NODE, ...CLUSTERS });
  const { code, details } = await client.ended();
  t.is(code, status.UNAUTHENTICATED);
  t.regex(details, /not from an authority of its trust domain cluster.local/);
});

test('a caller with a valid token and an invalid certificate is admitted', async (t) => {
  const rig = await createSecuredRig(t, { review: reviewCart });
  const channel = rig.channel({ uris: ['spiffe://evil.example/ns/bank/sa/pay'] });
  const client = rig.connect({ channel, metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  await client.response(0);
  t.is(identities(rig)[0]?.namespace, 'shop');
});

test('a certificate of a foreign root ends the connection before any call', async (t) => {
  const rig = await createSecuredRig(t, { review: reviewCart });
  const channel = rig.channel({ uris: [CART] }, createTestAuthority('mesh root'));
  const client = rig.connect({ channel, metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  t.is((await client.ended()).code, status.UNAVAILABLE);
  t.regex(rig.refusedConnections[0]?.reason ?? '', /does not verify/);
});

test('a plaintext client gets nothing from the secured listener', async (t) => {
  const rig = await createSecuredRig(t);
  const client = rig.connect({ metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  t.is((await client.ended()).code, status.UNAVAILABLE);
  t.is(rig.sessions.size, 0);
});

test('a call with too much metadata ends, and the others go on', async (t) => {
  const rig = await createSecuredRig(t);
  const good = rig.connect({ channel: rig.channel({ uris: [CART] }) });
  good.send({ node: NODE, ...CLUSTERS });
  await good.response(0);
  for (const length of [17_000, 1_000_000]) {
    const client = rig.connect({ channel: rig.channel(), metadata: { authorization: `Bearer ${'a'.repeat(length)}` } });
    client.send({ node: NODE, ...CLUSTERS });
    t.not((await client.ended()).code, status.OK);
  }
  good.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  await good.response(1);
  t.is(rig.sessions.size, 1);
});

for (const path of [ADS, CLIENT_STATUS, LOAD_REPORTS]) {
  test(`calls of ${path} take turns and are limited while their callers are not authenticated`, async (t) => {
    const owners: TurnOwner[] = [];
    const rig = await createSecuredRig(t, {
      onTurn: (owner) => owners.push(owner),
      review: () => new Promise(() => undefined),
      rig: { limits: { connectionStreams: 2 } },
    });
    const client = new Client(`127.0.0.1:${rig.port}`, rig.channel(), {
      'grpc.ssl_target_name_override': 'meshd.test',
    });
    t.teardown(() => client.close());
    const metadata = new Metadata();
    metadata.set('authorization', bearer.authorization);
    const same = (bytes: Buffer): Buffer => bytes;
    const open = async (): Promise<ServiceError | undefined> => {
      const asked = owners.length;
      const call = client.makeBidiStreamRequest(path, same, same, metadata);
      let failure: ServiceError | undefined;
      call.on('error', (error: ServiceError) => {
        failure = error;
      });
      await eventually('the turn or the end of the call', () => owners.length > asked || failure !== undefined);
      return failure;
    };
    t.deepEqual([await open(), await open()], [undefined, undefined]);
    const refused = await open();
    t.is(refused?.code, status.RESOURCE_EXHAUSTED);
    t.regex(refused?.details ?? '', /NAV_XDS_MAX_CONNECTION_STREAMS/);
    t.deepEqual(new Set(owners.map(({ peer }) => peer)), new Set(['unproven 127.0.0.1']));
  });
}

test('the server stops although the API server does not answer', async (t) => {
  let asked = false;
  const rig = await createSecuredRig(t, {
    review: () => {
      asked = true;
      return new Promise(() => undefined);
    },
  });
  const client = rig.connect({ channel: rig.channel(), metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  await eventually('the question', () => asked);
  await rig.server.stop(20_000);
  t.is((await client.ended()).details, 'server is shutting down');
});

test('a caller that disconnects before authentication leaves no state', async (t) => {
  const answers: ((answer: ApiAnswer) => void)[] = [];
  const rig = await createSecuredRig(t, { review: () => new Promise((give) => answers.push(give)) });
  const client = rig.connect({ channel: rig.channel(), metadata: bearer });
  client.send({ node: NODE, ...CLUSTERS });
  await eventually('the question', () => answers.length === 1);
  client.close();
  await client.ended();
  // Another call on the same server shows that the end of the first has arrived.
  const other = rig.connect({ channel: rig.channel({ uris: [CART] }) });
  other.send({ node: NODE, ...CLUSTERS });
  await other.response(0);
  answers[0]?.(await reviewCart());
  other.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  await other.response(1);
  t.is(rig.sessions.size, 1);
});

test('connections without a call are closed, also those that sent data', async (t) => {
  const rig = await createSecuredRig(t, { maxConnectionIdleMs: 200 });
  const silent = connectTls(tlsOptions(rig));
  await new Promise((resolve) => silent.resume().once('close', resolve));
  const polite = connectHttp2('https://meshd.test', { createConnection: () => connectTls(tlsOptions(rig)) });
  await new Promise((resolve) => polite.once('close', resolve));
  t.true(silent.destroyed && polite.destroyed);
});

for (const version of ['v1', 'v1alpha']) {
  test(`reflection ${version} answers authenticated callers only`, async (t) => {
    const rig = await createSecuredRig(t);
    const reflect = async (channel: ReturnType<SecuredRig['channel']>): Promise<string> => {
      const client = new Client(`127.0.0.1:${rig.port}`, channel, { 'grpc.ssl_target_name_override': 'meshd.test' });
      const same = (bytes: Buffer): Buffer => bytes;
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const call = client.makeBidiStreamRequest(path, same, same);
      // ServerReflectionRequest{list_services: ""}
      call.write(Buffer.from([0x3a, 0x00]));
      const answer = await new Promise<string>((resolve) => {
        call.on('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
        call.on('error', ({ code }: ServiceError) => resolve(status[code]));
      });
      call.cancel();
      client.close();
      return answer;
    };
    t.is(await reflect(rig.channel()), 'UNAUTHENTICATED');
    t.true((await reflect(rig.channel({ uris: [CART] }))).includes('AggregatedDiscoveryService'));
  });
}
