import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createRecentEvents } from '../../../src/xds/client-status/recent-events.js';
import { ProxySession } from '../../../src/xds/proxy-session.js';
import { readDiscoveryResponse } from '../../support/discovery-response.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { pushRequest } from '../../support/push-requests.js';
import { deltaRequest, readDeltaResponse } from '../delta/delta-messages.js';
import { connectClient, type DiscoveryClient } from '../grpc-client.js';
import { ADS, type RigServer, startRigServer } from '../rig-server.js';
import { createSecuredRig } from '../secured-rig.js';
import { createProbeStream, createRig, discoveryRequest, proxyOf } from '../session-rig.js';

const CLIENT_CONFIG = loadProtoRegistry().type('envoy.service.status.v3.ClientConfig');
const DELTA_ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const CONNECTIONS = 'mesh.internal/connections';
const DISCONNECT = 'mesh.internal/disconnect';
const NACK = 'mesh.internal/nack';
const nodeOf = (workload: string, namespace = 'shop'): string =>
  `sidecar~10.0.0.1~${workload}.${namespace}~${namespace}.svc.cluster.local`;

interface Event {
  readonly node: { readonly id: string };
  readonly clientScope: string;
  readonly genericXdsConfigs: readonly {
    readonly typeUrl: string;
    readonly errorState?: { readonly details: string };
  }[];
}

/** An event, as `<workload>: <type> <reason>`. */
function inShort(bytes: Buffer): string {
  const { node, genericXdsConfigs } = CLIENT_CONFIG.toObject(CLIENT_CONFIG.decode(bytes), {
    arrays: true,
  }) as unknown as Event;
  const reasons = genericXdsConfigs.map(({ typeUrl, errorState }) => `${typeUrl} ${errorState?.details}`);
  return `${node.id.split('~')[2]?.split('.')[0]}: ${reasons.join()}`;
}

const eventsIn = (client: DiscoveryClient, index: number): string[] =>
  readDiscoveryResponse(client.messages[index] as Buffer).resources.map(inShort);

async function start(t: ExecutionContext) {
  const isWatcher = (id: string): boolean => id.includes('~watcher.');
  const rig = await startRigServer(
    t,
    { showsStates: true },
    {
      readProxy: (node) => {
        const id = Buffer.from(node.subarray(2)).toString();
        return { ...proxyOf(id), ...(isWatcher(id) ? { isEventClient: true as const } : {}) };
      },
    },
  );
  const connect = (path = ADS): DiscoveryClient => {
    const client = connectClient(rig.port, path);
    t.teardown(client.close);
    return client;
  };
  return { rig, connect };
}

/** Connects a proxy with clusters. */
async function connectProxy(client: DiscoveryClient, node: string): Promise<string> {
  client.send({ node, typeUrl: TypeUrl.cluster });
  return (await client.response(0)).nonce;
}

/** Lets time pass until the client has a number of responses. */
async function hasResponses({ clock }: RigServer, client: DiscoveryClient, number: number): Promise<void> {
  await eventually(`${number} responses`, () => {
    clock.advance(200);
    return client.messages.length >= number;
  });
}

test('a client of events gets no resource at first, then each proxy that disconnects', async (t) => {
  const { rig, connect } = await start(t);
  const watcher = connect();
  watcher.send({ node: nodeOf('watcher'), typeUrl: DISCONNECT });
  const { nonce } = await watcher.response(0);
  t.deepEqual(eventsIn(watcher, 0), []);
  watcher.send({ typeUrl: DISCONNECT, nonce });
  const proxy = connect();
  await connectProxy(proxy, nodeOf('cart'));
  proxy.close();
  await hasResponses(rig, watcher, 2);
  t.deepEqual(eventsIn(watcher, 1), ['cart: ']);
});

test('a delta client gets each rejection by connection and type, with its reason', async (t) => {
  const { rig, connect } = await start(t);
  const watcher = connect(DELTA_ADS);
  watcher.sendBytes(deltaRequest({ node: nodeOf('watcher'), typeUrl: NACK }));
  const proxy = connect();
  let nonce = await connectProxy(proxy, nodeOf('cart'));
  for (const [index, reason] of ['first', 'second'].entries()) {
    // Before it, the empty response to the subscription.
    await hasResponses(rig, watcher, index + 1);
    watcher.sendBytes(
      deltaRequest({ typeUrl: NACK, nonce: readDeltaResponse(watcher.messages[index] as Buffer).nonce }),
    );
    proxy.send({ typeUrl: TypeUrl.cluster, nonce, error: `${reason} error` });
    await hasResponses(rig, watcher, index + 2);
    const told = watcher.messages[index + 1] as Buffer;
    const { resources } = readDeltaResponse(told);
    t.is(resources.length, 1);
    t.regex(resources[0]?.name ?? '', /~cart\.shop~.*-\d+\/cds$/);
    t.true(told.includes(`${status.INTERNAL}: ${reason} error`));
    rig.content.clusters = { a: reason };
    rig.distributor.submit(pushRequest());
    rig.clock.advance(0);
    ({ nonce } = await proxy.response(index + 1));
  }
});

test('a client of events gets the connections as they change, and no type of Envoy', async (t) => {
  const { rig, connect } = await start(t);
  const watcher = connect();
  watcher.send({ node: nodeOf('watcher'), typeUrl: TypeUrl.cluster });
  watcher.send({ typeUrl: CONNECTIONS });
  const { typeUrl, nonce } = await watcher.response(0);
  t.is(typeUrl, CONNECTIONS);
  watcher.send({ typeUrl: CONNECTIONS, nonce });
  await connectProxy(connect(), nodeOf('cart'));
  await hasResponses(rig, watcher, 2);
  t.deepEqual(eventsIn(watcher, 1).sort(), ['cart: ', 'watcher: ']);
});

test('a caller on another machine without an identity gets no event', async (t) => {
  const rig = createRig({ showsStates: true });
  const stream = { ...createProbeStream(), peer: '10.0.0.9:4000', isDirect: true };
  const session = new ProxySession(rig.environment, stream);
  for (const typeUrl of [DISCONNECT, NACK]) {
    await t.throwsAsync(async () => session.receive(discoveryRequest({ node: nodeOf('watcher'), typeUrl })), {
      name: 'StreamError',
      message: /same machine/,
    });
  }
  t.deepEqual(stream.sent, []);
});

test('a workload gets the rejections of its own namespace, with the reasons of its own account', async (t) => {
  const rig = await createSecuredRig(t, {
    environment: ({ states, clock }) => ({ connections: states, events: createRecentEvents(clock) }),
  });
  const connect = (account: string, namespace: string): DiscoveryClient =>
    rig.connect({ channel: rig.channel({ uris: [`spiffe://cluster.local/ns/${namespace}/sa/${account}`] }) });
  for (const [account, namespace] of [
    ['cart', 'shop'],
    ['till', 'shop'],
    ['bank', 'money'],
  ] as const) {
    const proxy = connect(account, namespace);
    const nonce = await connectProxy(proxy, nodeOf(account, namespace));
    proxy.send({ typeUrl: TypeUrl.cluster, nonce, error: `secret of ${account}` });
    // The answer to another type follows the rejection.
    proxy.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
    await proxy.response(1);
  }
  const reader = connect('cart', 'shop');
  reader.send({ node: nodeOf('reader'), typeUrl: NACK });
  await reader.response(0);
  t.deepEqual(eventsIn(reader, 0).sort(), [
    `cart: ${TypeUrl.cluster} ${status.INTERNAL}: secret of cart`,
    `till: ${TypeUrl.cluster} ${status.INTERNAL}: the log of the proxy has the reason`,
  ]);
});

test('a namespace whose proxies reconnect all the time pushes out its own events only', (t) => {
  const events = createRecentEvents(createFakeClock());
  const disconnect = (id: string, namespace: string): void => {
    const identity = { trustDomain: 'cluster.local', namespace, serviceAccount: 'default' };
    events.disconnected({ id, proxy: proxyOf(id), identity } as unknown as ProxySession);
  };
  for (const id of ['cart', 'till']) disconnect(id, 'shop');
  for (let index = 0; index < 150; index++) disconnect(`bank-${index}`, 'money');
  const names = [...events.of('disconnect')].map(({ name }) => name);
  t.deepEqual([names.length, ...names.slice(0, 3), names.at(-1)], [100, 'cart', 'till', 'bank-52', 'bank-149']);
});

test('the newest 100 events are kept, a repeated rejection once, and events of a moment are told once', (t) => {
  const clock = createFakeClock();
  const events = createRecentEvents(clock);
  const sessionOf = (id: string) => ({ id, proxy: proxyOf(id), identity: undefined }) as unknown as ProxySession;
  let told = 0;
  const stop = events.watch(['disconnect'], () => {
    told++;
  });
  for (let index = 0; index < 150; index++) events.disconnected(sessionOf(`proxy-${index}`));
  for (let index = 0; index < 3; index++) {
    events.rejected(sessionOf('one'), TypeUrl.cluster, { nonce: '', code: 13, message: `reason ${index}` });
  }
  const names = [...events.of('disconnect')].map(({ name }) => name);
  t.deepEqual([names.length, names[0], names.at(-1)], [100, 'proxy-50', 'proxy-149']);
  t.deepEqual(
    [...events.of('nack')].map(({ rejection }) => rejection?.message),
    ['reason 2'],
  );
  clock.advance(200);
  t.is(told, 1);
  stop();
  events.disconnected(sessionOf('last'));
  clock.advance(200);
  t.is(told, 1);
});

test('a client that rejects the list of rejections causes no further one', (t) => {
  const events = createRecentEvents(createFakeClock());
  const session = { id: 'one', proxy: proxyOf(nodeOf('web-1')), identity: undefined } as unknown as ProxySession;
  events.rejected(session, NACK, { nonce: '', code: 13, message: 'not this' });
  t.deepEqual([...events.of('nack')], []);
});
