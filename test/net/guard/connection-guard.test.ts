import { constants } from 'node:http2';
import test from 'ava';
import { callUnary, grpcFrame, openGrpcCall } from '../../attacks/support/raw-http2.js';
import { eventually } from '../../support/eventually.js';
import { answered, closed, STREAM, startGuardedServer, UNARY } from './guard-rig.js';

test('a connection that pings in a tight loop is closed with an error that names the setting', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxControlFrames: 100 });
  const session = rig.connect();
  await callUnary(session, UNARY, Buffer.alloc(1));
  let told = '';
  session.on('goaway', (_code, _last, data) => {
    told = String(data);
  });
  const ping = (): void => {
    if (!session.destroyed) session.ping(() => ping());
  };
  ping();
  await closed(session);
  t.regex(told, /more than 100 PING.*--grpcMaxControlFrames/);
});

test('pings within the limit per second are answered', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxControlFrames: 100 });
  const session = rig.connect();
  for (let second = 0; second < 3; second++) {
    for (let count = 0; count < 90; count++) {
      await answered(session);
    }
    rig.clock.advance(1000);
  }
  t.false(session.closed);
  t.deepEqual(rig.reached, []);
});

test('a connection that opens and resets streams is closed', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxAbandonedStreams: 50 });
  const session = rig.connect();
  await callUnary(session, UNARY, Buffer.alloc(1));
  const reset = (): void => {
    if (session.destroyed || session.closed) return;
    const stream = openGrpcCall(session, STREAM);
    stream.close(constants.NGHTTP2_CANCEL);
    setImmediate(reset);
  };
  reset();
  await closed(session);
  t.deepEqual(
    rig.reached.map(({ limit, setting }) => ({ limit, setting })),
    [{ limit: 'abandoned_streams', setting: '--grpcMaxAbandonedStreams' }],
  );
});

test('calls that are cancelled after their message do not count as abandoned', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxAbandonedStreams: 5 });
  const session = rig.connect();
  for (let count = 1; count <= 20; count++) {
    const stream = openGrpcCall(session, STREAM);
    stream.write(grpcFrame(Buffer.alloc(1)));
    await eventually('the message', () => rig.requests.length === count);
    stream.close(constants.NGHTTP2_CANCEL);
  }
  t.is((await callUnary(session, UNARY, Buffer.alloc(1))).length, 1);
});

test('a connection without a message is closed after a minute; one with a message stays', async (t) => {
  const rig = await startGuardedServer(t);
  const [silent, busy, slow] = [rig.connect(), rig.connect(), rig.connect()];
  await callUnary(busy, UNARY, Buffer.alloc(1));
  const stream = openGrpcCall(slow, STREAM);
  await answered(silent);
  for (let second = 0; second < 59; second++) {
    stream.write(second === 0 ? grpcFrame(Buffer.alloc(1000)).subarray(0, 5) : Buffer.alloc(1));
    rig.clock.advance(1000);
  }
  t.false(silent.destroyed);
  rig.clock.advance(2000);
  await Promise.all([closed(silent), closed(slow)]);
  t.is((await callUnary(busy, UNARY, Buffer.alloc(1))).length, 1);
  t.true(rig.reached.some(({ limit }) => limit === 'unproven_timeout'));
});

test('when too many connections of an address have sent nothing, the oldest is closed', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxUnprovenConnectionsPerAddress: 2 });
  const other = rig.connect('127.0.0.2');
  await answered(other);
  const first = rig.connect('127.0.0.3');
  await answered(first);
  const proven = rig.connect('127.0.0.3');
  await callUnary(proven, UNARY, Buffer.alloc(1));
  const more = [rig.connect('127.0.0.3'), rig.connect('127.0.0.3')];
  await closed(first);
  t.is((await callUnary(proven, UNARY, Buffer.alloc(1))).length, 1);
  await Promise.all(more.map((session) => callUnary(session, UNARY, Buffer.alloc(1))));
  t.false(other.destroyed);
  t.deepEqual(
    rig.reached.map(({ limit }) => limit),
    ['unproven_connections_per_address'],
  );
});
