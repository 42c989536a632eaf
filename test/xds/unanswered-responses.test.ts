import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { ProxySession } from '../../src/xds/proxy-session.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import { connectClient, type DiscoveryClient } from './grpc-client.js';
import { ADS, type RigServer, startRigServer } from './rig-server.js';
import { createProbeStream, createRig, discoveryRequest, type ReadResponse, type RigOptions } from './session-rig.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const ACK_MS = 15_000;

interface Connected extends RigServer {
  readonly client: DiscoveryClient;
  push(fields?: Parameters<typeof pushRequest>[0]): void;
  /** The state of a subscription, as pages and statuses see it. */
  watch(typeUrl: string): ReturnType<typeof watchOf>;
}

async function connect(t: ExecutionContext, options: RigOptions = {}): Promise<Connected> {
  const server = await startRigServer(t, options);
  const client = connectClient(server.port, ADS);
  t.teardown(() => client.close());
  const push = (fields = {}): void => {
    server.distributor.submit(pushRequest(fields));
    server.clock.advance(0);
  };
  return { ...server, client, push, watch: (typeUrl) => watchOf(server, typeUrl) };
}

function watchOf({ sessions }: RigServer, typeUrl: string) {
  return [...sessions][0]?.snapshot()?.watches.get(typeUrl);
}

/** Lets requests and responses that are on their way arrive: a request of another type is answered after them. */
async function roundTrip({ client }: Connected): Promise<void> {
  const before = client.responses.length;
  client.send({ typeUrl: TypeUrl.endpoint, names: ['no-such-name'] });
  await client.response(before);
}

function acknowledgeEndpoints(client: DiscoveryClient): void {
  const newest = client.responses.findLast(({ typeUrl }) => typeUrl === TypeUrl.endpoint);
  if (newest !== undefined) client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: newest.nonce });
}

/** The response that has this body. */
async function responseWith({ client }: Connected, body: string): Promise<ReadResponse> {
  let found: ReadResponse | undefined;
  await eventually(`a response with ${body}`, () => {
    found = client.responses.find(({ bodies }) => bodies.includes(body));
    return found !== undefined;
  });
  return found as ReadResponse;
}

/** Lets the limit pass, until a response of the type goes out without the answer to the last one. */
async function passLimit({ clock, counts }: Connected, type = 'cds'): Promise<void> {
  const before = counts[`unacknowledged ${type}`] ?? 0;
  await eventually('a response without an answer to the last one', () => {
    clock.advance(ACK_MS);
    return (counts[`unacknowledged ${type}`] ?? 0) > before;
  });
}

/** Clusters come, and are not acknowledged. */
async function leaveClustersUnanswered(connected: Connected): Promise<ReadResponse> {
  const { client } = connected;
  client.send({ node: NODE, typeUrl: TypeUrl.cluster });
  const first = await client.response(0);
  await eventually('the response is written', () => connected.watch(TypeUrl.cluster)?.sentNonce === first.nonce);
  return first;
}

test('a type that the proxy does not acknowledge gets its next response after the limit, and others at once', async (t) => {
  const connected = await connect(t);
  const { client, content, clock, counts, logger } = connected;
  await leaveClustersUnanswered(connected);
  content.clusters = { a: '2' };
  connected.push();
  await roundTrip(connected);
  clock.advance(ACK_MS - 1);
  await roundTrip(connected);
  t.deepEqual(
    client.responses.map(({ typeUrl }) => typeUrl),
    [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.endpoint],
  );
  t.is(counts['unacknowledged cds'], undefined);
  await passLimit(connected);
  t.deepEqual((await client.response(3)).bodies, ['a=2']);
  t.is(counts['unacknowledged cds'], 1);
  const [logged] = logger.records.filter(({ message }) => message.startsWith('response sent although'));
  t.like(logged?.fields, { connection: `${NODE}-1`, type: 'cds', setting: 'NAV_XDS_ACK_TIMEOUT' });
});

test('each further response waits for its own answer', async (t) => {
  const connected = await connect(t);
  const { client, content, clock, counts } = connected;
  await leaveClustersUnanswered(connected);
  for (const [index, body] of ['2', '3'].entries()) {
    content.clusters = { a: body };
    connected.push();
    await passLimit(connected);
    const { nonce, bodies } = await client.response(index + 1);
    t.deepEqual(bodies, [`a=${body}`]);
    await eventually('the response is written', () => connected.watch(TypeUrl.cluster)?.sentNonce === nonce);
  }
  content.clusters = { a: '4' };
  connected.push();
  clock.advance(ACK_MS - 1);
  await roundTrip(connected);
  t.is(counts['pushed cds'], 3);
  t.is(counts['unacknowledged cds'], 2);
});

test('without a change nothing is sent, however long an answer takes', async (t) => {
  const connected = await connect(t);
  await leaveClustersUnanswered(connected);
  connected.push();
  await roundTrip(connected);
  connected.clock.advance(10 * ACK_MS);
  await roundTrip(connected);
  t.is(connected.counts['pushed cds'], 1);
});

test('a limit of 0 lets a response wait for its answer for ever', async (t) => {
  const connected = await connect(t, { limits: { ackMs: 0 } });
  const { client, content, clock } = connected;
  const { nonce } = await leaveClustersUnanswered(connected);
  content.clusters = { a: '2' };
  connected.push();
  await roundTrip(connected);
  clock.advance(100 * ACK_MS);
  await roundTrip(connected);
  t.is(connected.counts['pushed cds'], 1);
  client.send({ typeUrl: TypeUrl.cluster, nonce });
  t.deepEqual((await client.response(3)).bodies, ['a=2']);
});

for (const { answer, error } of [
  { answer: 'acknowledgement', error: undefined },
  { answer: 'rejection', error: 'cluster b is bad' },
]) {
  test(`a late ${answer} of an older response changes nothing, and the answer to the newest counts`, async (t) => {
    const connected = await connect(t);
    const { client, content, counts, distributor } = connected;
    const first = await leaveClustersUnanswered(connected);
    content.clusters = { a: '2' };
    connected.push();
    await passLimit(connected);
    const second = await client.response(1);
    client.send({ typeUrl: TypeUrl.cluster, nonce: first.nonce, ...(error === undefined ? {} : { error }) });
    const count = error === undefined ? 'nonceExpired cds' : `rejected cds ${NODE} INTERNAL`;
    await eventually('the late answer', () => counts[count] === 1);
    const late = connected.watch(TypeUrl.cluster);
    t.is(late?.ackedNonce, '');
    t.is(late?.ackedConfigVersion, '');
    t.is(late?.rejection, undefined);
    client.send({ typeUrl: TypeUrl.cluster, nonce: second.nonce, version: second.version });
    await eventually('the answer', () => connected.watch(TypeUrl.cluster)?.ackedNonce === second.nonce);
    t.is(connected.watch(TypeUrl.cluster)?.ackedConfigVersion, distributor.configVersion);
    content.clusters = { a: '3' };
    connected.push();
    t.deepEqual((await client.response(2)).bodies, ['a=3']);
  });
}

test('a response that was never answered is not taken for accepted: the next one has everything', async (t) => {
  const connected = await connect(t);
  const { client, content } = connected;
  client.send({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a', 'b', 'c'] });
  const { nonce } = await client.response(0);
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b', 'c'], nonce });
  await eventually('the answer', () => connected.watch(TypeUrl.endpoint)?.ackedNonce === nonce);
  content.endpoints = { a: '2', b: '2' };
  connected.push({ endpoints: new Set(['a', 'b']) });
  t.deepEqual((await client.response(1)).bodies, ['a=2', 'b=2']);
  // The proxy may have rejected a=2, or may have applied b=2.
  content.endpoints = { a: '2', b: '1' };
  connected.push({ endpoints: new Set(['b']) });
  await passLimit(connected, 'eds');
  const third = await client.response(2);
  t.deepEqual(third.bodies, ['a=2', 'b=1']);
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b', 'c'], nonce: third.nonce });
  content.endpoints = { a: '2', b: '4' };
  connected.push({ endpoints: new Set(['b']) });
  t.deepEqual((await client.response(3)).bodies, ['b=4']);
});

test('going back to the accepted resources is sent if the proxy may have those of a response that it never answered', async (t) => {
  const connected = await connect(t);
  const { client, content, counts } = connected;
  const accepted = await leaveClustersUnanswered(connected);
  client.send({ typeUrl: TypeUrl.cluster, nonce: accepted.nonce });
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  await client.response(1);
  acknowledgeEndpoints(client);
  content.clusters = { a: '2', b: '1' };
  connected.push();
  const unanswered = await responseWith(connected, 'a=2');
  content.clusters = { a: 'bad', b: '1' };
  connected.push();
  await passLimit(connected);
  const rejected = await responseWith(connected, 'a=bad');
  // The acknowledgement of a=2 is on its way while a=bad is sent, so it is late and changes nothing.
  client.send({ typeUrl: TypeUrl.cluster, nonce: unanswered.nonce });
  client.send({ typeUrl: TypeUrl.cluster, nonce: rejected.nonce, error: 'a is bad' });
  await eventually('the rejection', () => counts[`rejected cds ${NODE} INTERNAL`] === 1);
  await eventually('acknowledged endpoints', () => {
    acknowledgeEndpoints(client);
    const endpoints = connected.watch(TypeUrl.endpoint);
    return endpoints?.ackedNonce === endpoints?.sentNonce;
  });
  const before = client.responses.length;
  content.clusters = { a: '1', b: '1' };
  connected.push();
  const sinceThen = (type: string) => client.responses.slice(before).find(({ typeUrl }) => typeUrl === type)?.bodies;
  await eventually('the clusters', () => sinceThen(TypeUrl.cluster) !== undefined);
  t.deepEqual(sinceThen(TypeUrl.cluster), ['a=1', 'b=1']);
  // Envoy uses none of the clusters before it gets their endpoints.
  await eventually('the endpoints', () => {
    acknowledgeEndpoints(client);
    return sinceThen(TypeUrl.endpoint)?.includes('a=1') === true;
  });
});

test('after clusters without an answer, all their endpoints are sent again', async (t) => {
  const connected = await connect(t);
  const { client, content } = connected;
  await leaveClustersUnanswered(connected);
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  const { nonce } = await client.response(1);
  client.send({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce });
  await eventually('the answer', () => connected.watch(TypeUrl.endpoint)?.ackedNonce === nonce);
  content.clusters = { a: '2', b: '1' };
  connected.push();
  await passLimit(connected);
  t.is((await client.response(2)).typeUrl, TypeUrl.cluster);
  t.deepEqual((await client.response(3)).bodies, ['a=1', 'b=1']);
});

test('a stream that ends leaves no timer behind', async (t) => {
  const { environment, content, distributor, clock } = createRig();
  const session = new ProxySession(environment, createProbeStream());
  void session.receive(discoveryRequest({ node: NODE, typeUrl: TypeUrl.cluster }));
  await settle();
  const { timers } = clock;
  content.clusters = { a: '2' };
  distributor.pushAll('debug');
  await settle();
  t.is(clock.timers, timers + 1);
  session.close();
  t.is(clock.timers, 0);
});

/** Lets everything that is queued run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
