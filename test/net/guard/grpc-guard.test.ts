import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import test from 'ava';
import { DEFAULT_GRPC_LIMITS } from '../../../src/net/guard/grpc-limits.js';
import {
  CANCEL,
  END_HEADERS,
  FRAME,
  grpcHeaders,
  headerBlock,
  http2Frame,
  PREFACE,
  SETTINGS,
} from '../../attacks/support/http2-frames.js';
import { callUnary, grpcFrame, openGrpcCall } from '../../attacks/support/raw-http2.js';
import { eventually } from '../../support/eventually.js';
import { untilClosed } from '../../support/until-closed.js';
import {
  answered,
  endOf,
  type GuardRig,
  HALF_CHARACTER,
  STREAM,
  startGuardedServer,
  UNARY,
  UNARY_BYTES,
  WAIT,
} from './guard-rig.js';

const halfOf = (bytes: number): Buffer => grpcFrame(Buffer.alloc(bytes)).subarray(0, bytes);

test('complete messages pass, in one piece and byte by byte', async (t) => {
  const rig = await startGuardedServer(t);
  const session = rig.connect();
  t.deepEqual(await callUnary(session, UNARY, Buffer.from('hello')), Buffer.from('hello'));
  const stream = openGrpcCall(session, STREAM);
  for (const byte of grpcFrame(Buffer.from('slow'))) stream.write(Buffer.from([byte]));
  stream.write(grpcFrame(Buffer.alloc(300_000)));
  await eventually('the messages', () => rig.requests.length === 3);
  t.deepEqual(rig.requests, [5, 4, 300_000]);
  t.deepEqual(rig.reached, []);
});

test('messages that arrived before Node passed on their stream are counted', async (t) => {
  const rig = await startGuardedServer(t);
  const stream = openGrpcCall(rig.connectLate(), STREAM);
  const message = grpcFrame(Buffer.alloc(400, 1));
  stream.write(message.subarray(0, 300));
  // The bytes that the server put back end within the message.
  await eventually('the stream', () => stream.id !== undefined);
  stream.write(message.subarray(300));
  stream.write(grpcFrame(Buffer.alloc(20, 1)));
  await eventually('the messages', () => rig.requests.length === 2);
  t.deepEqual(rig.requests, [400, 20]);
  t.deepEqual(rig.reached, []);
});

test('a compressed message that arrived before Node passed on its stream is rejected', async (t) => {
  const rig = await startGuardedServer(t);
  const stream = openGrpcCall(rig.connectLate(), STREAM);
  const ended = endOf(stream);
  const message = grpcFrame(Buffer.alloc(400));
  message[0] = 1;
  stream.write(message);
  t.is((await ended).code, status.UNIMPLEMENTED);
  t.deepEqual(rig.requests, []);
});

test('a unary call whose request arrived before Node passed on its stream is answered', async (t) => {
  const rig = await startGuardedServer(t);
  t.is((await callUnary(rig.connectLate(), UNARY, Buffer.alloc(500))).length, 500);
  for (let second = 0; second < 32; second++) rig.clock.advance(1000);
  t.deepEqual(rig.reached, []);
});

test('a message longer than its method allows is rejected after its first five bytes', async (t) => {
  const rig = await startGuardedServer(t);
  const session = rig.connect();
  const stream = openGrpcCall(session, UNARY);
  const ended = endOf(stream);
  stream.write(grpcFrame(Buffer.alloc(UNARY_BYTES + 1)).subarray(0, 5));
  const { code, details } = await ended;
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /longer than 1000 bytes/);
  t.is((await callUnary(session, UNARY, Buffer.alloc(UNARY_BYTES))).length, UNARY_BYTES);
});

test('a compressed message is rejected before it is inflated, and the error says what to send', async (t) => {
  const rig = await startGuardedServer(t);
  const stream = openGrpcCall(rig.connect(), STREAM, { 'grpc-encoding': 'gzip' });
  const ended = endOf(stream);
  const bomb = grpcFrame(gzipSync(Buffer.alloc(2 ** 22)));
  bomb[0] = 1;
  stream.write(bomb);
  const { code, details, headers } = await ended;
  t.is(code, status.UNIMPLEMENTED);
  t.is(headers['grpc-accept-encoding'], 'identity');
  t.regex(details, /without compression/);
  t.deepEqual(rig.requests, []);
});

test('a message that is not complete in time ends its call, as does a unary request without its end', async (t) => {
  const rig = await startGuardedServer(t, { grpcMessageTimeoutMs: 30_000 });
  const session = rig.connect();
  const silent = openGrpcCall(session, STREAM);
  const half = openGrpcCall(session, STREAM);
  half.write(Buffer.concat([grpcFrame(Buffer.alloc(10)), halfOf(100)]));
  const endless = openGrpcCall(session, UNARY);
  endless.write(grpcFrame(Buffer.alloc(10)));
  const idle = openGrpcCall(session, STREAM);
  idle.write(grpcFrame(Buffer.alloc(20)));
  const ends = Promise.all([silent, half, endless].map(endOf));
  await eventually('the streams', () => rig.requests.length === 2);
  // The last stream and its bytes have come with its message; their accounts are opened in the turn after.
  await callUnary(session, UNARY, Buffer.alloc(1));
  for (let second = 0; second < 32; second++) rig.clock.advance(1000);
  for (const { code, details } of await ends) {
    t.is(code, status.DEADLINE_EXCEEDED);
    t.regex(details, /within 30 s.*--grpcMessageTimeout\b/);
  }
  t.false(idle.destroyed);
  t.deepEqual(
    rig.reached.map(({ limit }) => limit),
    Array<string>(3).fill('message_timeout'),
  );
});

test('when incomplete messages of a connection take too much, the oldest is rejected', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerConnection: 1_000_000 });
  const session = rig.connect();
  const oldest = openGrpcCall(session, STREAM);
  const end = endOf(oldest);
  oldest.write(halfOf(500_000));
  const newer = openGrpcCall(session, STREAM);
  newer.write(halfOf(500_000));
  const { code, details } = await end;
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /1000000 bytes.*--grpcMaxIncompleteBytesPerConnection/);
  newer.write(Buffer.alloc(5));
  await eventually('the newer message', () => rig.requests.includes(500_000));
});

test('when incomplete messages of an address take too much, its oldest is rejected, and none of another address', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: 1_000_000 });
  const victim = openGrpcCall(rig.connect('127.0.0.2'), STREAM);
  victim.write(halfOf(300_000));
  const session = rig.connect('127.0.0.3');
  // The first bytes of streams arrive before the server can let them wait.
  const attackers = Array.from({ length: 60 }, () => openGrpcCall(session, STREAM));
  const ends = attackers.map(endOf);
  for (const stream of attackers) stream.write(halfOf(60_000));
  t.is((await Promise.race(ends)).code, status.RESOURCE_EXHAUSTED);
  victim.write(Buffer.alloc(5));
  await eventually('the message of the other address', () => rig.requests.includes(300_000));
  t.true(rig.reached.some(({ limit }) => limit === 'incomplete_bytes_per_address'));
  t.true(rig.reached.every(({ address }) => address === '127.0.0.3'));
});

test('connections of one address with long messages are all served, one after another, if its limit is low', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: 1_000_000 });
  const clients = 60;
  const ends: number[] = [];
  for (let client = 0; client < clients; client++) {
    const stream = openGrpcCall(rig.connect('127.0.0.4'), STREAM);
    stream.on('error', () => undefined);
    stream.on('close', () => ends.push(client));
    stream.write(grpcFrame(Buffer.alloc(250_000)));
    stream.resume();
  }
  await eventually('the messages', () => rig.requests.length === clients);
  t.deepEqual(new Set(rig.requests), new Set([250_000]));
  t.deepEqual(ends, []);
  t.deepEqual([...new Set(rig.reached.map(({ limit }) => limit))], ['delayed_messages']);
});

test('streams on open connections are all served if they send long messages at once', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: 1_000_000 });
  const streams = Array.from({ length: 30 }, () => openGrpcCall(rig.connect('127.0.0.4'), STREAM));
  for (const stream of streams) stream.resume().write(grpcFrame(Buffer.alloc(100)));
  await eventually('the first messages', () => rig.requests.length === streams.length);
  for (const stream of streams) stream.write(grpcFrame(Buffer.alloc(250_000)));
  await eventually('the long messages', () => rig.requests.length === 2 * streams.length);
  t.deepEqual([...new Set(rig.reached.map(({ limit }) => limit))], ['delayed_messages']);
});

test('streams of one connection with long messages are all served if the limit of their address is low', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: 4_000_000 });
  const session = rig.connect('127.0.0.4');
  const streams = Array.from({ length: 30 }, () => openGrpcCall(session, STREAM));
  for (const stream of streams) stream.resume().write(grpcFrame(Buffer.alloc(200_000)));
  await eventually('the messages', () => rig.requests.length === streams.length);
  t.deepEqual([...new Set(rig.reached.map(({ limit }) => limit))], ['delayed_messages']);
});

test('a message that is not complete in its turn ends if others of its address wait, and other addresses are served', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: 1_000_000 });
  const hostile = Array.from({ length: 2 }, () => openGrpcCall(rig.connect('127.0.0.3'), STREAM));
  const ends = hostile.map(endOf);
  for (const stream of hostile) stream.write(halfOf(490_000));
  await eventually('the wait of the second one', () => rig.reached.length > 0);
  const waiting = openGrpcCall(rig.connect('127.0.0.3'), STREAM);
  waiting.resume().write(grpcFrame(Buffer.alloc(300_000)));
  openGrpcCall(rig.connect('127.0.0.2'), STREAM)
    .resume()
    .write(grpcFrame(Buffer.alloc(250_000)));
  await eventually('the message of the other address', () => rig.requests.includes(250_000));
  t.false(rig.requests.includes(300_000));
  await eventually('the message that waits', () => {
    rig.clock.advance(1000);
    return rig.requests.includes(300_000);
  });
  const { code, details } = await Promise.race(ends);
  t.is(code, status.DEADLINE_EXCEEDED);
  t.regex(details, /did not go on within 5 s of its turn.*--grpcMaxIncompleteBytesPerAddress/);
  t.true(rig.reached.every(({ address }) => address === '127.0.0.3'));
});

test('when all addresses together take too much, the oldest message of the largest address is rejected', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytes: 1_000_000 });
  const small = openGrpcCall(rig.connect('127.0.0.2'), STREAM);
  small.write(halfOf(100_000));
  const large = openGrpcCall(rig.connect('127.0.0.3'), STREAM);
  const end = endOf(large);
  large.write(halfOf(950_000));
  const { code, details } = await end;
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /all peers.*--grpcMaxIncompleteBytes\b/);
  small.write(Buffer.alloc(5));
  await eventually('the small message', () => rig.requests.includes(100_000));
});

test('a message in many tiny pieces counts with the memory of its pieces', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerConnection: 100_000 });
  const session = rig.connect();
  const stream = openGrpcCall(session, STREAM);
  const end = endOf(stream);
  stream.write(grpcFrame(Buffer.alloc(5000)).subarray(0, 5));
  for (let piece = 0; piece < 500 && !stream.destroyed; piece++) {
    stream.write(Buffer.alloc(1));
    // Pieces that are written together may arrive as one.
    await answered(session);
  }
  t.is((await end).code, status.RESOURCE_EXHAUSTED);
  t.true(rig.reached.every(({ limit }) => limit === 'incomplete_bytes_per_connection'));
});

/** A sidecar's token with the rest of its metadata, and its first request: a node with its labels and services. */
const SIDECAR_HEADER_BYTES = 2_500;
const SIDECAR_REQUEST_BYTES = 4_000;

/** Opens streams that show a token and send a request, from connections of their own. */
function waitForTurn(rig: GuardRig, streams: number, messageBytes: number): void {
  for (let index = 0; index < streams; index++) {
    const stream = openGrpcCall(rig.connect(), WAIT, { authorization: 'x'.repeat(SIDECAR_HEADER_BYTES) });
    stream.on('error', () => undefined);
    stream.write(grpcFrame(Buffer.alloc(messageBytes)));
  }
}

test('10,000 sidecars that wait for the review of their tokens leave room for others of their address', async (t) => {
  const streams = 100;
  const grpcMaxIncompleteBytesPerAddress =
    DEFAULT_GRPC_LIMITS.grpcMaxIncompleteBytesPerAddress * 0.9 * (streams / 10_000);
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress });
  waitForTurn(rig, streams, SIDECAR_REQUEST_BYTES);
  await eventually('the streams', () => rig.waiting.length === streams);
  for (const call of rig.waiting) call.on('data', ({ length }: Buffer) => rig.requests.push(length));
  await eventually('the requests', () => rig.requests.length === streams);
  t.true(rig.reached.every(({ limit }) => limit === 'delayed_messages'));
});

test('data and metadata that waiting streams send are counted', async (t) => {
  const limit = 20 * (SIDECAR_HEADER_BYTES + SIDECAR_REQUEST_BYTES);
  const rig = await startGuardedServer(t, { grpcMaxIncompleteBytesPerAddress: limit });
  waitForTurn(rig, 21, SIDECAR_REQUEST_BYTES);
  await eventually('the limit', () => rig.reached.length > 0);
  t.is(rig.reached[0]?.limit, 'delayed_messages');
});

test('metadata above the limit ends its call', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxHeaderBytes: 4096 });
  const session = rig.connect();
  const { code, details } = await endOf(openGrpcCall(session, STREAM, { authorization: 'x'.repeat(4096) }));
  t.is(code, status.RESOURCE_EXHAUSTED);
  t.regex(details, /--grpcMaxHeaderBytes/);
  t.is((await callUnary(session, UNARY, Buffer.alloc(1))).length, 1);
});

test('a call of an unknown method is closed even if its peer keeps sending', async (t) => {
  const rig = await startGuardedServer(t);
  const stream = openGrpcCall(rig.connect(), '/test.Echo/Other');
  const end = endOf(stream);
  stream.write(halfOf(60_000));
  t.is((await end).code, status.UNIMPLEMENTED);
});

test('a call rejected at its headers is closed when its peer sends more', async (t) => {
  const rig = await startGuardedServer(t);
  const session = rig.connect();
  const stream = openGrpcCall(session, UNARY);
  const end = endOf(stream);
  // Two messages are an error of the call; then its peer sends on, without an end.
  stream.write(Buffer.concat([grpcFrame(Buffer.alloc(1)), grpcFrame(Buffer.alloc(1))]));
  const drip = (): void => {
    if (!stream.destroyed) stream.write(Buffer.alloc(1), () => setImmediate(drip));
  };
  drip();
  t.is((await end).code, status.UNIMPLEMENTED);
});

test('the connections of an address that repeatedly sends too much metadata are closed for a second', async (t) => {
  const rig = await startGuardedServer(t);
  const offender = '127.0.0.9';
  const filler = { 'x-filler': 'x'.repeat(40_000) };
  for (let connection = 0; connection < 3; connection++) {
    const session = rig.connect(offender);
    const streams = Array.from({ length: 8 }, () => openGrpcCall(session, STREAM, filler));
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))));
  }
  const refused = rig.connect(offender);
  await eventually('its next connection is closed', () => refused.destroyed);
  const bytes = Buffer.from('hello');
  t.deepEqual(await callUnary(rig.connect('127.0.0.8'), UNARY, bytes), bytes, 'another address is served');
  rig.clock.advance(1000);
  t.deepEqual(await callUnary(rig.connect(offender), UNARY, bytes), bytes, 'and it, later');
});

test('streams that arrive together with the one that closed their connection end with it, and no others', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxHeaderBytes: 1000 });
  const session = rig.connect('127.0.0.9');
  await once(session, 'connect');
  const filler = { 'x-filler': 'x'.repeat(1100) };
  const streams = Array.from({ length: 40 }, () => openGrpcCall(session, STREAM, filler));
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))));
  const bytes = Buffer.from('hello');
  t.deepEqual(await callUnary(rig.connect('127.0.0.8'), UNARY, bytes), bytes);
});

test('streams that their peer has already reset end without an error and count as abandoned', async (t) => {
  const rig = await startGuardedServer(t, { grpcMaxHeaderBytes: 1000, grpcMaxAbandonedStreams: 12 });
  const requests = [
    { ...grpcHeaders(UNARY), 'content-type': 'text/plain' },
    grpcHeaders('/no.such.Service/Method'),
    { ...grpcHeaders(STREAM), 'x-filler': 'x'.repeat(1100) },
    grpcHeaders(STREAM),
  ];
  const frames = [...requests, ...requests, ...requests, ...requests].flatMap((headers, index) => [
    http2Frame(FRAME.headers, END_HEADERS, 2 * index + 1, headerBlock(headers)),
    http2Frame(FRAME.rstStream, 0, 2 * index + 1, CANCEL),
  ]);
  const socket = rig.sendLate(Buffer.concat([PREFACE, SETTINGS, ...frames]));
  await untilClosed(socket);
  t.deepEqual(
    rig.reached.map(({ limit }) => limit),
    ['abandoned_streams'],
  );
  const bytes = Buffer.from('hello');
  t.deepEqual(await callUnary(rig.connect(), UNARY, bytes), bytes);
});

test('error details with an unpaired surrogate reach the caller', async (t) => {
  const rig = await startGuardedServer(t);
  const stream = openGrpcCall(rig.connect(), UNARY);
  stream.end(grpcFrame(HALF_CHARACTER));
  const { code, details } = await endOf(stream);
  t.is(code, status.INVALID_ARGUMENT);
  t.is(details, 'wrong: \u{fffd}');
});
