import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { WireMessage } from '../../src/envoy/wire-message.js';
import { ProxySession } from '../../src/xds/proxy-session.js';
import { StreamError } from '../../src/xds/stream-error.js';
import { eventually } from '../support/eventually.js';
import { pushRequest } from '../support/push-requests.js';
import {
  bytesOf,
  createProbeStream,
  createRig,
  discoveryRequest,
  type RequestFields,
  type Rig,
  readResponse,
} from './session-rig.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';

function connect(rig: Rig, onlyType?: string) {
  const stream = createProbeStream();
  const session = new ProxySession(rig.environment, stream, { onlyType });
  const receive = (fields: RequestFields): void => void session.receive(discoveryRequest(fields));
  const response = async (index: number) => {
    await eventually(`response ${index + 1}`, () => stream.sent.length > index);
    return readResponse(bytesOf(stream.sent[index] as WireMessage));
  };
  return { stream, session, receive, response };
}

/** Lets everything that is queued run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function push(rig: Rig, fields = {}): Promise<void> {
  rig.distributor.submit(pushRequest(fields));
  rig.clock.advance(0);
  await settle();
}

test('the first request is answered with everything of a wildcard type', async (t) => {
  const rig = createRig();
  const { receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const first = await response(0);
  t.deepEqual(first.bodies, ['a=1', 'b=1']);
  t.is(first.typeUrl, TypeUrl.cluster);
  t.is(first.version, 'v1');
  t.true(first.nonce.startsWith(rig.distributor.configVersion));
});

test('an acknowledgement gets no response', async (t) => {
  const rig = createRig();
  const { stream, session, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  receive({ typeUrl: TypeUrl.cluster, nonce, version: 'v1' });
  await settle();
  t.is(stream.sent.length, 1);
  const watch = session.snapshot()?.watches.get(TypeUrl.cluster);
  t.is(watch?.ackedNonce, nonce);
  t.is(watch?.ackedConfigVersion, rig.distributor.configVersion);
});

test('a request without a node ends the stream by name', (t) => {
  const { receive } = connect(createRig());
  const error = t.throws(() => receive({ typeUrl: TypeUrl.cluster }), { instanceOf: StreamError });
  t.is(error?.code, 'INVALID_ARGUMENT');
  t.regex(error?.message ?? '', /^missing node ID/);
});

test('bytes that are no DiscoveryRequest end the stream by name', (t) => {
  const { session } = connect(createRig());
  const error = t.throws(() => session.receive(Buffer.from([0xff, 0xff, 0xff])), { instanceOf: StreamError });
  t.is(error?.code, 'INVALID_ARGUMENT');
});

test('before the sources have synced a stream is told that the server is not ready', (t) => {
  const { receive } = connect(createRig({ started: false }));
  const error = t.throws(() => receive({ node: NODE, typeUrl: TypeUrl.cluster }), { instanceOf: StreamError });
  t.is(error?.message, 'server is not ready to serve discovery information');
  t.is(error?.code, 'UNAVAILABLE');
});

test('an unknown type is ignored with one warning, and the other types are served', async (t) => {
  const rig = createRig();
  const { receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: 'type.googleapis.com/envoy.config.nonsense.v3.Thing' });
  receive({ typeUrl: 'type.googleapis.com/envoy.config.nonsense.v3.Thing' });
  receive({ typeUrl: TypeUrl.cluster });
  t.deepEqual((await response(0)).bodies, ['a=1', 'b=1']);
  t.is(rig.logger.records.filter((record) => record.level === 'warn').length, 1);
});

test('the v2 name of a type ends the stream and says which one is expected', (t) => {
  const { receive } = connect(createRig());
  const error = t.throws(() => receive({ node: NODE, typeUrl: 'type.googleapis.com/envoy.api.v2.Cluster' }));
  t.is(error?.message, `invalid type type.googleapis.com/envoy.api.v2.Cluster, expected ${TypeUrl.cluster}`);
});

test('a per-type stream needs no type and rejects another one', async (t) => {
  const { receive, response } = connect(createRig(), TypeUrl.cluster);
  receive({ node: NODE });
  t.is((await response(0)).typeUrl, TypeUrl.cluster);
  t.throws(() => receive({ typeUrl: TypeUrl.endpoint }), { message: /^invalid type .* expected / });
});

test('a push sends only types that changed', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(0)).nonce });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: (await response(1)).nonce });
  rig.content.endpoints = { a: '2', b: '1' };
  await push(rig, { endpoints: new Set(['a']) });
  t.is(stream.sent.length, 3);
  const third = await response(2);
  t.is(third.typeUrl, TypeUrl.endpoint);
  t.deepEqual(third.bodies, ['a=2']);
});

test('a push without any difference sends nothing and counts as distributed', async (t) => {
  const rig = createRig();
  const { stream, session, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(0)).nonce });
  await push(rig);
  t.is(stream.sent.length, 1);
  t.is(session.snapshot()?.watches.get(TypeUrl.cluster)?.ackedConfigVersion, rig.distributor.configVersion);
});

test('while a response is unanswered, later pushes merge into one', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  for (const body of ['2', '3', '4']) {
    rig.content.clusters = { a: body };
    await push(rig);
  }
  t.is(stream.sent.length, 1);
  receive({ typeUrl: TypeUrl.cluster, nonce });
  t.deepEqual((await response(1)).bodies, ['a=4']);
  await settle();
  t.is(stream.sent.length, 2);
});

test('an expired nonce is counted and ignored', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  await response(0);
  receive({ typeUrl: TypeUrl.cluster, nonce: 'long-gone' });
  await settle();
  t.is(rig.counts['nonceExpired cds'], 1);
  t.is(stream.sent.length, 1);
});

test('a rejection is counted with its code, kept with its text, and not answered', async (t) => {
  const rig = createRig();
  const { stream, session, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  receive({ typeUrl: TypeUrl.cluster, nonce, error: 'cluster a is bad' });
  await settle();
  t.is(stream.sent.length, 1);
  t.is(rig.counts[`rejected cds ${NODE} INTERNAL`], 1);
  t.deepEqual(session.snapshot()?.watches.get(TypeUrl.cluster)?.rejection, {
    code: 'INTERNAL',
    message: 'cluster a is bad',
    nonce,
  });
});

test('a session reports each acknowledgement, each rejection and the end of a rejection', async (t) => {
  const rig = createRig();
  const { receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  t.is(rig.counts['progressed'], undefined);
  receive({ typeUrl: TypeUrl.cluster, nonce });
  t.is(rig.counts['progressed'], 1);
  rig.content.clusters = { a: 'bad' };
  await push(rig);
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(1)).nonce, error: 'no' });
  t.is(rig.counts['progressed'], 2);
  rig.content.clusters = { a: '1', b: '1' };
  await push(rig);
  t.is(rig.counts['progressed'], 3);
});

test('a rejected response is not sent again unchanged, and its resources are sent with the next change', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: (await response(0)).nonce });
  rig.content.endpoints = { a: 'bad', b: '2' };
  await push(rig, { endpoints: new Set(['a', 'b']) });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: (await response(1)).nonce, error: 'no' });
  await push(rig, { endpoints: new Set(['a', 'b']) });
  t.is(stream.sent.length, 2);
  rig.content.endpoints = { a: 'good', b: '2' };
  await push(rig, { endpoints: new Set(['a', 'b']) });
  t.deepEqual((await response(2)).bodies, ['a=good', 'b=2']);
});

test('going back to what the proxy has ends its rejection without a response', async (t) => {
  const rig = createRig();
  const { stream, session, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(0)).nonce });
  rig.content.clusters = { a: 'bad' };
  await push(rig);
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(1)).nonce, error: 'no' });
  rig.content.clusters = { a: '1', b: '1' };
  await push(rig);
  t.is(stream.sent.length, 2);
  t.is(session.snapshot()?.watches.get(TypeUrl.cluster)?.rejection, undefined);
});

test('another set of names is answered with what it adds', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a'] });
  const first = await response(0);
  t.deepEqual(first.bodies, ['a=1']);
  receive({ typeUrl: TypeUrl.endpoint, names: ['b', 'a'], nonce: first.nonce });
  const second = await response(1);
  t.deepEqual(second.bodies, ['b=1']);
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: second.nonce });
  await settle();
  t.is(stream.sent.length, 2);
});

test('a changed cluster gets its endpoints again, because the proxy waits for them', async (t) => {
  const rig = createRig();
  const { receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.cluster, nonce: (await response(0)).nonce });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'] });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: (await response(1)).nonce });
  rig.content.clusters = { a: '2', b: '1' };
  await push(rig);
  t.is((await response(2)).typeUrl, TypeUrl.cluster);
  const endpoints = await response(3);
  t.is(endpoints.typeUrl, TypeUrl.endpoint);
  t.deepEqual(endpoints.bodies, ['a=1']);
});

test('a proxy whose own services changed gets its resources again, though no other change concerns it', async (t) => {
  const rig = createRig();
  const [mine, other] = [connect(rig), connect(rig)];
  for (const { receive, response } of [mine, other]) {
    receive({ node: NODE, typeUrl: TypeUrl.cluster });
    receive({ typeUrl: TypeUrl.cluster, nonce: (await response(0)).nonce });
  }
  rig.content.clusterScope = 'with another service';
  rig.content.clusters = { a: '2' };
  await push(rig, { full: false, addresses: new Set(['10.9.9.9']) });
  t.is(mine.stream.sent.length, 1);
  await push(rig, { full: false, addresses: new Set(['10.0.0.1']) });
  t.deepEqual((await mine.response(1)).bodies, ['a=2']);
});

test('a hundred streams of equal scope cost one generation and share one message, Buffer for Buffer', async (t) => {
  const rig = createRig();
  const proxies = Array.from({ length: 100 }, () => connect(rig));
  for (const { receive } of proxies) receive({ node: NODE, typeUrl: TypeUrl.cluster });
  await eventually('all first responses', () => proxies.every(({ stream }) => stream.sent.length === 1));
  t.is(rig.distributor.resources.generations, 1);
  t.is(rig.distributor.responses.composed, 1);
  t.is(new Set(proxies.map(({ stream }) => stream.sent[0])).size, 1);
  t.is(new Set(proxies.map(({ stream }) => stream.sent[0]?.pieces[1])).size, 1);
  for (const { receive, stream } of proxies) {
    receive({ typeUrl: TypeUrl.cluster, nonce: readResponse(bytesOf(stream.sent[0] as WireMessage)).nonce });
  }
  rig.content.clusters = { a: '2' };
  await push(rig);
  await eventually('all second responses', () => proxies.every(({ stream }) => stream.sent.length === 2));
  t.is(rig.distributor.resources.generations, 2);
  t.is(new Set(proxies.map(({ stream }) => stream.sent[1])).size, 1);
});

test('a stream that never reads costs one response after any number of changes, and delays no other stream', async (t) => {
  const rig = createRig();
  const [stuck, healthy] = [connect(rig), connect(rig)];
  stuck.stream.stall = true;
  stuck.receive({ node: NODE, typeUrl: TypeUrl.cluster });
  healthy.receive({ node: NODE, typeUrl: TypeUrl.cluster });
  await eventually('both first responses', () => healthy.stream.sent.length === 1 && stuck.stream.sent.length === 1);
  for (let change = 2; change < 50; change++) {
    healthy.receive({
      typeUrl: TypeUrl.cluster,
      nonce: readResponse(bytesOf(healthy.stream.sent.at(-1) as WireMessage)).nonce,
    });
    // Asking again does not help a client that does not read.
    stuck.receive({ typeUrl: TypeUrl.cluster });
    rig.content.clusters = { a: String(change) };
    await push(rig);
    t.is(healthy.stream.sent.length, change);
  }
  t.is(stuck.stream.sent.length, 1);
});

test('a response that is not read is counted after 5 s and ends the stream after a minute', async (t) => {
  const rig = createRig();
  const { stream, receive } = connect(rig);
  stream.stall = true;
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  await eventually('the write', () => stream.sent.length === 1);
  rig.clock.advance(4_999);
  t.is(rig.counts['writeTimedOut'], undefined);
  rig.clock.advance(1);
  t.is(rig.counts['writeTimedOut'], 1);
  rig.clock.advance(55_000);
  t.is(stream.ended?.error?.code, 'DEADLINE_EXCEEDED');
});

test('a request for other names after a rejection does not acknowledge the rejected response', async (t) => {
  const rig = createRig();
  const { session, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a'] });
  const first = await response(0);
  receive({ typeUrl: TypeUrl.endpoint, names: ['a'], nonce: first.nonce, version: first.version });
  const root = rig.distributor.configVersion;
  rig.content.endpoints = { a: '2', b: '1' };
  await push(rig, { endpoints: new Set(['a']) });
  const second = await response(1);
  receive({ typeUrl: TypeUrl.endpoint, names: ['a'], nonce: second.nonce, version: first.version, error: 'no' });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a', 'b'], nonce: second.nonce, version: first.version });
  t.deepEqual((await response(2)).bodies, ['a=2', 'b=1']);
  t.like(session.snapshot()?.watches.get(TypeUrl.endpoint), {
    ackedNonce: first.nonce,
    ackedConfigVersion: root,
    rejection: { code: 'INTERNAL', message: 'no', nonce: second.nonce },
  });
});

test('a rejection that is repeated is counted, and logged once', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  for (let time = 0; time < 100; time++) receive({ typeUrl: TypeUrl.cluster, nonce, error: 'x'.repeat(100_000) });
  await settle();
  t.is(stream.sent.length, 1);
  t.is(rig.counts['rejected cds sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local INTERNAL'], 100);
  const logged = rig.logger.records.filter(({ level }) => level === 'warn');
  t.is(logged.length, 1);
  t.true(JSON.stringify(logged).length < 5000);
});

test('a changed cluster gets its endpoints though the proxy rejected them before', async (t) => {
  const rig = createRig();
  const { receive, response } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  const [clusters, endpoints] = [await response(0), await response(1)];
  receive({ typeUrl: TypeUrl.cluster, nonce: clusters.nonce, version: 'v1' });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a'], nonce: endpoints.nonce, error: 'no' });
  rig.content.clusters = { a: '2', b: '1' };
  await push(rig);
  t.is((await response(2)).typeUrl, TypeUrl.cluster);
  t.deepEqual((await response(3)).bodies, ['a=1']);
});

test('a type whose generation fails is logged, does not affect other types, and is sent later', async (t) => {
  const rig = createRig();
  const { stream, receive, response } = connect(rig);
  Object.defineProperty(rig.content, 'clusters', {
    configurable: true,
    get: () => {
      throw new Error('generation failed');
    },
  });
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  receive({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  t.is((await response(0)).typeUrl, TypeUrl.endpoint);
  await settle();
  t.is(stream.sent.length, 1);
  t.true((rig.counts['internalError'] ?? 0) > 0);
  t.true(rig.logger.records.some(({ message }) => /response could not be made/.test(message)));
  Object.defineProperty(rig.content, 'clusters', { value: { a: '2' } });
  await push(rig);
  t.deepEqual((await response(1)).bodies, ['a=2']);
});
