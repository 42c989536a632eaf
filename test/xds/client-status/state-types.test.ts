import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createWorkRunner, type WorkRunner } from '../../../src/push/work-runner.js';
import { ProxySession } from '../../../src/xds/proxy-session.js';
import type { SessionEnvironment } from '../../../src/xds/session-environment.js';
import { readDiscoveryResponse } from '../../support/discovery-response.js';
import { eventually } from '../../support/eventually.js';
import { deltaRequest, readDeltaResponse } from '../delta/delta-messages.js';
import { connectClient, type DiscoveryClient } from '../grpc-client.js';
import { ADS, startRigServer } from '../rig-server.js';
import { createSecuredRig, type SecuredRig } from '../secured-rig.js';
import { createProbeStream, createRig, discoveryRequest, type RigOptions } from '../session-rig.js';

const CLIENT_CONFIG = loadProtoRegistry().type('envoy.service.status.v3.ClientConfig');
const DELTA_ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const CONNECTIONS = 'mesh.internal/connections';
const SYNCZ = 'mesh.internal/debug/syncz';
const CONFIG_DUMP = 'mesh.internal/debug/config_dump';
const nodeOf = (workload: string, namespace: string): string =>
  `sidecar~10.0.0.1~${workload}.${namespace}~${namespace}.svc.cluster.local`;

interface Client {
  readonly node: { readonly id: string };
  readonly clientScope: string;
  readonly genericXdsConfigs: readonly {
    readonly name: string;
    readonly configStatus: string;
    readonly xdsConfig?: { readonly value: Buffer };
  }[];
}

const decode = (bytes: Buffer): Client =>
  CLIENT_CONFIG.toObject(CLIENT_CONFIG.decode(bytes), { enums: String, arrays: true }) as unknown as Client;

/** A proxy and its resources, as `<workload>: <name> <state> <content>`. */
const inShort = (bytes: Buffer): string => {
  const { node, genericXdsConfigs } = decode(bytes);
  const states = genericXdsConfigs.map(
    ({ name, configStatus, xdsConfig }) => `${name} ${configStatus} ${xdsConfig?.value.toString() ?? '-'}`,
  );
  return `${node.id.split('~')[2]}: ${states.join(', ')}`;
};

/** A plaintext server on this machine. */
async function start(t: ExecutionContext, options: RigOptions = {}, overrides: Partial<SessionEnvironment> = {}) {
  const rig = await startRigServer(t, { ...options, showsStates: true }, overrides);
  const connect = (path = ADS, metadata: Record<string, string> = {}): DiscoveryClient => {
    const client = connectClient(rig.port, path, { metadata });
    t.teardown(client.close);
    return client;
  };
  return { rig, connect };
}

/** Connects a proxy that acknowledges its clusters `a` and `b`. */
async function connectProxy(client: DiscoveryClient, node: string): Promise<void> {
  client.send({ node, typeUrl: TypeUrl.cluster });
  const { nonce, version } = await client.response(0);
  client.send({ typeUrl: TypeUrl.cluster, nonce, version });
}

/** The proxies in the response to a request for a type, without the client itself. */
async function ask(client: DiscoveryClient, index: number, request: Parameters<DiscoveryClient['send']>[0]) {
  client.send(request);
  const { typeUrl } = await client.response(index);
  const { resources } = readDiscoveryResponse(client.messages[index] as Buffer);
  return { typeUrl, proxies: resources.map(inShort).filter((proxy) => !proxy.startsWith('debug.')) };
}

test('a caller on the same machine sees all connections, then their states, then their resources', async (t) => {
  const { connect } = await start(t);
  await connectProxy(connect(), nodeOf('cart', 'shop'));
  await connectProxy(connect(), nodeOf('bank', 'money'));
  const client = connect();
  const node = nodeOf('debug', 'ops');
  t.deepEqual(await ask(client, 0, { node, typeUrl: CONNECTIONS }), {
    typeUrl: CONNECTIONS,
    proxies: ['bank.money: ', 'cart.shop: '],
  });
  const { proxies } = await ask(client, 1, { typeUrl: SYNCZ });
  t.is(proxies.length, 2);
  for (const proxy of proxies) t.regex(proxy, /: a (SYNCED|STALE) -, b (SYNCED|STALE) -$/);
  const dump = await ask(client, 2, { typeUrl: CONFIG_DUMP });
  for (const proxy of dump.proxies) t.regex(proxy, /: a (SYNCED|STALE) a=1, b (SYNCED|STALE) b=1$/);
});

test('the dumps of a peer are made one after another, and resources of proxies side by side', async (t) => {
  const runner = createWorkRunner(systemClock);
  const ordered: unknown[] = [];
  const run: WorkRunner['run'] = (owner, work, isOrdered) => {
    ordered.push(isOrdered === true);
    return runner.run(owner, work, isOrdered);
  };
  const { connect } = await start(t, {}, { runner: { ...runner, run } });
  await connectProxy(connect(), nodeOf('cart', 'shop'));
  t.deepEqual(ordered, [false]);
  await ask(connect(), 0, { node: nodeOf('debug', 'ops'), typeUrl: CONFIG_DUMP });
  t.deepEqual(ordered, [false, true]);
});

test('names select connections by their ids', async (t) => {
  const { rig, connect } = await start(t);
  await connectProxy(connect(), nodeOf('cart', 'shop'));
  await connectProxy(connect(), nodeOf('bank', 'money'));
  const id = rig.states.list().find(({ proxy }) => proxy.id.includes('bank'))?.id ?? '';
  const client = connect();
  const named = await ask(client, 0, { node: nodeOf('debug', 'ops'), typeUrl: CONNECTIONS, names: [id] });
  t.deepEqual(named.proxies, ['bank.money: ']);
});

test('a delta client gets the same resources by the ids of the connections, and those alone that it lacks', async (t) => {
  const { rig, connect } = await start(t);
  await connectProxy(connect(), nodeOf('cart', 'shop'));
  const client = connect(DELTA_ADS);
  client.sendBytes(deltaRequest({ node: nodeOf('debug', 'ops'), typeUrl: CONNECTIONS }));
  await client.response(0);
  const first = readDeltaResponse(client.messages[0] as Buffer);
  const ids = rig.states.list().map(({ id }) => id);
  t.deepEqual(first.resources.map(({ name }) => name).sort(), ids.sort());
  const again = connect(DELTA_ADS);
  const cart = first.resources.find(({ name }) => name.includes('cart'));
  const versions = { [cart?.name ?? '']: cart?.version ?? '' };
  again.sendBytes(deltaRequest({ node: nodeOf('other', 'ops'), typeUrl: CONNECTIONS, versions }));
  await again.response(0);
  const second = readDeltaResponse(again.messages[0] as Buffer).resources.map(({ name }) => name.split('~')[2]);
  t.deepEqual(second.sort(), ['debug.ops', 'other.ops']);
});

test('the subscription is neither part of the state that it shows nor pushed to', async (t) => {
  const { rig, connect } = await start(t);
  const client = connect();
  client.send({ node: nodeOf('debug', 'ops'), typeUrl: SYNCZ });
  await client.response(0);
  t.deepEqual(
    rig.states.list().map(({ watches }) => [...watches.keys()]),
    [[]],
  );
  rig.distributor.pushAll('debug');
  client.send({ typeUrl: TypeUrl.cluster });
  t.is((await client.response(1)).typeUrl, TypeUrl.cluster);
});

test('a caller that a proxy relays is refused', async (t) => {
  const { connect } = await start(t);
  const client = connect(ADS, { 'x-forwarded-for': '127.0.0.1' });
  client.send({ node: nodeOf('debug', 'ops'), typeUrl: SYNCZ });
  const error = await client.ended();
  t.is(error.code, status.PERMISSION_DENIED);
  t.regex(error.details, /secured port/);
});

test('a caller on another machine without an identity is refused, and no proxy is named', async (t) => {
  const rig = createRig({ showsStates: true });
  const stream = { ...createProbeStream(), peer: '10.0.0.9:4000', isDirect: true };
  const session = new ProxySession(rig.environment, stream);
  for (const typeUrl of [CONNECTIONS, SYNCZ, CONFIG_DUMP]) {
    await t.throwsAsync(async () => session.receive(discoveryRequest({ node: nodeOf('debug', 'ops'), typeUrl })), {
      name: 'StreamError',
      message: /same machine/,
    });
  }
  t.deepEqual(stream.sent, []);
});

test('resources beyond the limit end the stream with the setting and the remedy', async (t) => {
  const { rig, connect } = await start(t, { limits: { clientStatusBytes: 200 } });
  await connectProxy(connect(), nodeOf('cart', 'shop'));
  const client = connect();
  client.send({ node: nodeOf('debug', 'ops'), typeUrl: CONFIG_DUMP });
  const error = await client.ended();
  t.is(error.code, status.RESOURCE_EXHAUSTED);
  t.regex(error.details, /name fewer connections.*NAV_XDS_CLIENT_STATUS_MAX_BYTES/);
  t.is(rig.counts['limitMet clientStatusBytes'], 1);
});

test('answers with hundreds of connections count at the peer that holds them, and no longer when its streams end', async (t) => {
  const rig = createRig({ showsStates: true, limits: { peerBytes: 500_000 } });
  const open = (node: string, typeUrl: string) => {
    const stream = { ...createProbeStream(), peer: '127.0.0.1:4000', isDirect: true };
    const session = new ProxySession(rig.environment, stream);
    const served = session.receive(discoveryRequest({ node: nodeOf(node, 'ops'), typeUrl }));
    return { stream, session, served };
  };
  const proxies = Array.from({ length: 300 }, (_, index) => open(`proxy-${index}`, TypeUrl.listener));
  const before = rig.environment.peers.heldBytes;
  const clients = Array.from({ length: 5 }, (_, index) => open(`debug-${index}`, CONNECTIONS));
  await Promise.all([...proxies, ...clients].map(({ served }) => served));
  await eventually('answers', () =>
    clients.every(({ stream: { sent, ended } }) => sent.length > 0 || ended !== undefined),
  );
  t.true((rig.counts['limitMet peerBytes'] ?? 0) >= 2);
  t.true(clients.some(({ stream }) => stream.sent.length > 0));
  t.true(rig.environment.peers.heldBytes > before);
  for (const { session } of clients) session.close();
  t.is(rig.environment.peers.heldBytes, before);
});

const ACCOUNTS = { cart: 'shop', till: 'shop', bank: 'money' } as const;

/** A secured server with a connected proxy of each account. */
async function startSecured(t: ExecutionContext, seesAll = false): Promise<(account: string) => DiscoveryClient> {
  const rig: SecuredRig = await createSecuredRig(t, {
    environment: ({ states }) => ({ connections: states, seesAllPolicies: () => seesAll }),
  });
  const connect = (account: string, namespace: string): DiscoveryClient =>
    rig.connect({ channel: rig.channel({ uris: [`spiffe://cluster.local/ns/${namespace}/sa/${account}`] }) });
  for (const [account, namespace] of Object.entries(ACCOUNTS))
    await connectProxy(connect(account, namespace), nodeOf(account, namespace));
  return (account) => connect(account, ACCOUNTS[account as keyof typeof ACCOUNTS]);
}

test('a workload sees the proxies of its own namespace, with the resources of its own account', async (t) => {
  const connect = await startSecured(t);
  const { proxies } = await ask(connect('cart'), 0, { node: nodeOf('debug', 'shop'), typeUrl: CONFIG_DUMP });
  t.is(proxies.length, 2);
  t.regex(proxies.join('\n'), /cart\.shop: a \w+ a=1, b \w+ b=1/);
  t.regex(proxies.join('\n'), /till\.shop: a \w+ -, b \w+ -/);
});

test('a workload that claims another namespace is refused', async (t) => {
  const connect = await startSecured(t);
  const client = connect('bank');
  client.send({ node: nodeOf('debug', 'shop'), typeUrl: CONNECTIONS });
  t.is((await client.ended()).code, status.PERMISSION_DENIED);
});

test('a workload that may read all policies sees the proxies of all namespaces', async (t) => {
  const connect = await startSecured(t, true);
  const { proxies } = await ask(connect('bank'), 0, { node: nodeOf('debug', 'money'), typeUrl: CONNECTIONS });
  t.deepEqual([...proxies].sort(), ['bank.money: ', 'cart.shop: ', 'till.shop: ']);
});
