import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import type { WorkRunner } from '../../src/push/work-runner.js';
import { LimitError } from '../../src/xds/limits/xds-limits.js';
import { ProxySession } from '../../src/xds/proxy-session.js';
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

function connect(rig: Rig, peer = '127.0.0.1:1') {
  const stream = { ...createProbeStream(), peer };
  const session = new ProxySession(rig.environment, stream);
  const take = (fields: RequestFields) => session.receive(discoveryRequest(fields));
  const receive = (fields: RequestFields): void => void take(fields);
  const response = async (index: number) => {
    await eventually(`response ${index + 1}`, () => stream.sent.length > index);
    return readResponse(bytesOf(stream.sent[index] as Parameters<typeof bytesOf>[0]));
  };
  return { stream, session, receive, take, response };
}

const manyNames = (count: number, prefix = 'name'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${(index * 7919) % count}`);

test('a request with too many names ends with the limit and its setting', (t) => {
  const { receive } = connect(createRig({ limits: { names: 10 } }));
  const error = t.throws(() => receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(11) }), {
    instanceOf: LimitError,
  });
  t.is(error?.code, 'RESOURCE_EXHAUSTED');
  t.regex(error?.message ?? '', /more than 10 resources; the limit is the setting NAV_XDS_MAX_NAMES/);
});

test('a list that the stream has sent before counts in full, though its names are not read one by one', (t) => {
  const { receive } = connect(createRig({ limits: { names: 10 } }));
  const known = manyNames(8);
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: known });
  t.throws(() => receive({ typeUrl: TypeUrl.endpoint, names: [...known, 'x', 'y', 'z'] }), { instanceOf: LimitError });
});

test('all subscriptions of a stream together have a limit', (t) => {
  const { receive } = connect(createRig({ limits: { names: 10, streamNames: 15 } }));
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(10) });
  const error = t.throws(() => receive({ typeUrl: TypeUrl.cluster, names: manyNames(6) }), { instanceOf: LimitError });
  t.is(error?.limit, 'streamNames');
});

test('a long list is read in slices, and answered like a short one', async (t) => {
  const rig = createRig({ isSliced: true });
  const { take, response } = connect(rig);
  const finished = take({
    node: NODE,
    typeUrl: TypeUrl.endpoint,
    names: [...manyNames(90_000, 'a-name-that-does-not-exist'), 'a', 'b'],
  });
  t.true(finished instanceof Promise);
  t.true((await finished) > 90);
  t.deepEqual((await response(0)).bodies, ['a=1', 'b=1']);
});

test('a list that is asked for while another is being answered is answered in its place', async (t) => {
  const rig = createRig({ isSliced: true });
  const { take, response, stream } = connect(rig);
  await take({ node: NODE, typeUrl: TypeUrl.endpoint, names: [...manyNames(90_000), 'a'] });
  await take({ typeUrl: TypeUrl.endpoint, names: ['b'] });
  await eventually('the answer', () => stream.sent.length > 0);
  t.deepEqual((await response(stream.sent.length - 1)).bodies, ['b=1']);
});

test('a push that comes while a long list is being answered is not lost', async (t) => {
  const rig = createRig({ isSliced: true });
  const { receive, take, response } = connect(rig);
  await take({ node: NODE, typeUrl: TypeUrl.endpoint, names: [...manyNames(90_000), 'a'] });
  rig.content.endpoints = { a: '2' };
  rig.distributor.submit(pushRequest());
  rig.clock.advance(0);
  const first = await response(0);
  if (first.bodies[0] === 'a=2') {
    t.pass();
    return;
  }
  receive({
    typeUrl: TypeUrl.endpoint,
    names: [...manyNames(90_000), 'a'],
    nonce: first.nonce,
    version: first.version,
  });
  t.deepEqual((await response(1)).bodies, ['a=2']);
});

/** A stream whose first response is made when the test says so. */
function connectHeld() {
  const rig = createRig();
  const { runner } = rig.environment;
  const held: (() => void)[] = [];
  const runLater: WorkRunner['run'] = (_owner, work) =>
    new Promise((resolve) => {
      held.push(() => {
        while (work.next().done !== true);
        resolve();
      });
    });
  const run: WorkRunner['run'] = (owner, work) => (held.length === 0 ? runLater : runner.run)(owner, work);
  return { held, ...connect({ ...rig, environment: { ...rig.environment, runner: { ...runner, run } } }) };
}

test('a response that is ready is not lost when another type is due before its turn', async (t) => {
  const { held, receive, response } = connectHeld();
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a'] });
  await eventually('the response is being made', () => held.length === 1);
  receive({ typeUrl: TypeUrl.cluster });
  held[0]?.();
  const types = [(await response(0)).typeUrl, (await response(1)).typeUrl];
  t.deepEqual(types, [TypeUrl.endpoint, TypeUrl.cluster]);
});

test('a response that is ready is made again in its place if the proxy then asks for other names', async (t) => {
  const { held, receive, response } = connectHeld();
  receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a'] });
  await eventually('the response is being made', () => held.length === 1);
  receive({ typeUrl: TypeUrl.cluster });
  held[0]?.();
  receive({ typeUrl: TypeUrl.endpoint, names: ['b'] });
  t.is((await response(0)).typeUrl, TypeUrl.cluster);
  t.deepEqual((await response(1)).bodies, ['b=1']);
});

test('streams of one peer that hold too much end, and streams of another peer go on', async (t) => {
  const rig = createRig({ limits: { peerBytes: 20_000 } });
  const first = connect(rig, '127.0.0.66:1');
  const second = connect(rig, '127.0.0.66:2');
  const other = connect(rig, '127.0.0.1:1');
  first.receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(150, 'first') });
  second.receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(150, 'second') });
  other.receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: [...manyNames(150, 'third'), 'a'] });
  await eventually('the end of the second', () => second.stream.ended !== undefined);
  t.is(second.stream.ended?.error?.code, 'RESOURCE_EXHAUSTED');
  t.is(rig.counts['limitMet peerBytes'], 1);
  t.is(first.stream.ended, undefined);
  t.deepEqual((await other.response(0)).bodies, ['a=1']);
});

test('equal lists of many streams count once', (t) => {
  const rig = createRig({ limits: { peerBytes: 20_000 } });
  const streams = Array.from({ length: 50 }, (_, port) => connect(rig, `127.0.0.66:${port}`));
  for (const { receive } of streams) receive({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(150) });
  t.true(streams.every(({ stream }) => stream.ended === undefined));
  for (const { session } of streams) session.end();
  t.is(rig.environment.peers.heldBytes, 0);
});

test('more unread streams of a peer than its limit end after five seconds', async (t) => {
  const rig = createRig({ limits: { unreadStreams: 1 } });
  const streams = [1, 2].map((port) => connect(rig, `127.0.0.66:${port}`));
  for (const { stream, receive } of streams) {
    stream.stall = true;
    receive({ node: NODE, typeUrl: TypeUrl.cluster });
  }
  await eventually('both responses', () => streams.every(({ stream }) => stream.sent.length === 1));
  rig.clock.advance(5_000);
  await eventually('the end of one', () => streams.some(({ stream }) => stream.ended !== undefined));
  t.is(streams.filter(({ stream }) => stream.ended?.error?.code === 'RESOURCE_EXHAUSTED').length, 1);
});

test('a version that was never sent is shortened', async (t) => {
  const rig = createRig();
  const { receive, response, session } = connect(rig);
  receive({ node: NODE, typeUrl: TypeUrl.cluster });
  const { nonce } = await response(0);
  receive({ typeUrl: TypeUrl.cluster, nonce, version: 'v'.repeat(1 << 20) });
  t.true((session.snapshot()?.watches.get(TypeUrl.cluster)?.ackedVersion.length ?? 0) < 200);
});

test('requests of one peer do not wait for all that another peer has sent before them', async (t) => {
  const rig = createRig({ isSliced: true });
  let isAnswered = false;
  let before = 0;
  const many = Array.from({ length: 400 }, async (_, port) => {
    const { take } = connect(rig, `127.0.0.66:${port}`);
    await take({ node: NODE, typeUrl: TypeUrl.endpoint, names: manyNames(2_000, `stream-${port}`) });
    if (!isAnswered) before++;
  });
  const victim = connect(rig);
  await victim.take({ node: NODE, typeUrl: TypeUrl.endpoint, names: ['a'] });
  isAnswered = true;
  await Promise.all(many);
  t.true(before < 300, `${before} of 400 came before`);
});

test('large requests that wait for their turn count as what their peer holds', async (t) => {
  const rig = createRig({ isSliced: true, limits: { peerBytes: 1_000_000 } });
  const streams = Array.from({ length: 100 }, (_, port) => connect(rig, `127.0.0.66:${port}`));
  const names = manyNames(9_000, 'a-name');
  const received = streams.map(({ take }, index) =>
    take({ node: NODE, typeUrl: TypeUrl.endpoint, names: [...names, `of-stream-${index}`] }),
  );
  const errors = streams.flatMap(({ stream }) => stream.ended?.error ?? []);
  t.true(errors.length > 50, `${errors.length} streams were ended`);
  t.true(errors.every((error) => error instanceof LimitError && error.limit === 'peerBytes'));
  await Promise.all(received);
});
