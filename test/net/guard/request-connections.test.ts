import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { DEFAULT_GRPC_LIMITS, type GrpcLimits } from '../../../src/net/guard/grpc-limits.js';
import {
  type AnswerRequest,
  createRequestConnections,
  type RequestConnectionsOptions,
} from '../../../src/net/guard/request-connections.js';
import { createTcpListener } from '../../../src/net/tcp-listener.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

type RigOptions = Partial<
  Pick<RequestConnectionsOptions, 'maxAgeMs' | 'maxConnections' | 'maxConnectionsPerAddress'>
> & {
  readonly answer?: AnswerRequest;
  readonly limits?: Partial<GrpcLimits>;
};

async function serve(t: ExecutionContext, { answer = () => OK, limits = {}, ...options }: RigOptions = {}) {
  const clock = createFakeClock();
  const reached: string[] = [];
  const connections = createRequestConnections({
    limits: { ...DEFAULT_GRPC_LIMITS, ...limits },
    clock,
    answer,
    maxAgeMs: Number.POSITIVE_INFINITY,
    reached: (_connection, limit, value) => {
      reached.push(limit);
      return `${limit}: ${value}`;
    },
    ...options,
  });
  const sockets: Socket[] = [];
  const listener = createTcpListener((socket) => {
    sockets.push(socket);
    connections.take(socket);
  });
  const port = await listener.listen('127.0.0.1', 0);
  t.teardown(async () => {
    listener.hangUp();
    await listener.close();
  });
  const open = async (localAddress = '127.0.0.1'): Promise<Client> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return new Client(socket);
  };
  /** Waits until the server has read so many bytes of a connection, by default of the newest. */
  const hasRead = (bytes: number, before = 0): Promise<unknown> =>
    eventually('the server has read the bytes', () => sockets.at(-1 - before)?.bytesRead === bytes);
  return { clock, reached, connections, open, hasRead };
}

class Client {
  readonly socket: Socket;
  received = '';
  isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** Sends, and waits for so many responses in all. */
  async ask(text: string, responses = 1): Promise<string> {
    this.socket.write(text);
    await eventually('the response', () => this.received.split('HTTP/1.1 ').length > responses);
    return this.received;
  }

  closed(): Promise<void> {
    return eventually('the connection is closed', () => this.isClosed).then(() => undefined);
  }
}

test('requests of a connection are answered one after the other, at once or later', async (t) => {
  const heads: string[] = [];
  const { open, reached } = await serve(t, {
    answer: (head) => {
      heads.push(head);
      return heads.length % 2 === 1 ? OK : new Promise((resolve) => setImmediate(() => resolve(OK)));
    },
  });
  const client = await open();
  for (let count = 1; count <= 4; count++) t.is(await client.ask(GET, count), OK.repeat(count));
  t.deepEqual(
    heads,
    Array.from({ length: 4 }, () => 'GET / HTTP/1.1\r\nhost: a'),
  );
  t.deepEqual(reached, []);
});

test('the answer to a peer that has left is dropped', async (t) => {
  let settle: (response: string) => void = () => undefined;
  const { open, reached } = await serve(t, { answer: () => new Promise((resolve) => (settle = resolve)) });
  const client = await open();
  client.socket.write(GET);
  client.socket.end();
  await client.closed();
  settle(OK);
  const next = await open();
  next.socket.write(GET);
  await eventually('the next one is asked', () => settle);
  t.deepEqual(reached, []);
});

for (const [what, text] of [
  ['a second request', GET + GET],
  ['a body', `POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\nok`],
] as const) {
  test(`a peer that sends ${what} before its response gets an error, and loses its connection`, async (t) => {
    const { open, reached } = await serve(t);
    const client = await open();
    t.regex(await client.ask(text), /^HTTP\/1\.1 500 .*\r\nconnection: close\r\n[\s\S]*early_requests/);
    await client.closed();
    t.deepEqual(reached, ['early_requests']);
  });
}

test('a peer that sends more while its request is answered loses its connection', async (t) => {
  const { open, reached, hasRead } = await serve(t, { answer: () => new Promise(() => undefined) });
  const client = await open();
  client.socket.write(GET);
  await hasRead(GET.length);
  client.socket.write('more');
  await client.closed();
  t.deepEqual(reached, ['early_requests']);
});

test('a request that is too long is refused before it is complete, however small its pieces are', async (t) => {
  const { open, reached, hasRead } = await serve(t, { limits: { grpcMaxCheckBytes: 10_000 } });
  const long = await open();
  t.regex(await long.ask(`GET / HTTP/1.1\r\nx-a: ${'a'.repeat(10_000)}`), /message_size: 10000/);
  await long.closed();
  const whole = await open();
  t.regex(await whole.ask(`GET / HTTP/1.1\r\nx-a: ${'a'.repeat(10_000)}\r\n\r\n`), /message_size: 10000/);
  const inPieces = await open();
  for (let piece = 1; piece < 20; piece++) {
    inPieces.socket.write('a');
    await hasRead(piece);
  }
  inPieces.socket.write('a');
  await inPieces.closed();
  t.deepEqual(reached, ['message_size', 'message_size', 'message_size']);
});

test('an incomplete request has a time limit', async (t) => {
  const { open, clock, reached } = await serve(t, { limits: { grpcMessageTimeoutMs: 5000 } });
  const client = await open();
  await client.ask(GET);
  clock.advance(60_000);
  client.socket.write('GET / ');
  // The time begins with the first bytes.
  await eventually('the request begins', async () => {
    clock.advance(1000);
    return reached.length === 1;
  });
  await client.closed();
  t.regex(client.received, /message_timeout: 5000/);
});

test('the bytes of incomplete requests are limited for an address, and the oldest of them is refused', async (t) => {
  const limits = { grpcMaxIncompleteBytesPerAddress: 20_000, grpcMaxIncompleteBytes: 50_000 };
  const { open, reached, hasRead } = await serve(t, { limits });
  const other = await open('127.0.0.2');
  other.socket.write('a'.repeat(15_000));
  await hasRead(15_000);
  const first = await open();
  first.socket.write('a'.repeat(15_000));
  await hasRead(15_000);
  const second = await open();
  second.socket.write('a'.repeat(15_000));
  await first.closed();
  t.deepEqual(reached, ['incomplete_bytes_per_address']);
  t.false(second.isClosed);
  t.false(other.isClosed);
  t.regex(await other.ask('\r\n\r\n'), /200 OK/);
});

test('a connection without a complete request is closed after a while, and their number is limited', async (t) => {
  const limits = { grpcUnprovenTimeoutMs: 30_000, grpcMaxUnprovenConnectionsPerAddress: 2 };
  const { open, clock, reached } = await serve(t, { limits });
  const proven = await open();
  await proven.ask(GET);
  const [first] = [await open(), await open(), await open()];
  await first.closed();
  t.deepEqual(reached, ['unproven_connections_per_address']);
  clock.advance(31_000);
  await eventually('the others are closed', () => reached.length === 3);
  t.deepEqual(reached.slice(1), ['unproven_timeout', 'unproven_timeout']);
  t.regex(await proven.ask(GET, 2), /200 OK/);
});

test('one address has no more connections than its limit, and others keep theirs', async (t) => {
  const { open, reached } = await serve(t, { maxConnectionsPerAddress: 2 });
  const clients = [await open(), await open()];
  for (const client of clients) await client.ask(GET);
  const third = await open();
  await third.closed();
  t.deepEqual(reached, ['http_connections_per_address']);
  t.is(await (await open('127.0.0.2')).ask(GET), OK);
  t.is(await clients[0]?.ask(GET, 2), OK + OK);
});

test('beyond the number of all connections, the one that was idle for longest makes room', async (t) => {
  const { open, reached } = await serve(t, { maxConnections: 2 });
  const [first, second] = [await open(), await open()];
  await first.ask(GET);
  await second.ask(GET);
  await first.ask(GET, 2);
  const third = await open();
  t.is(await third.ask(GET), OK);
  await second.closed();
  t.false(first.isClosed);
  t.deepEqual(reached, ['http_connections']);
});

test('a peer that reads none of its responses loses its connection', async (t) => {
  const { open, reached } = await serve(t, { answer: () => `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(5_000_000)}` });
  const client = await open();
  client.socket.pause();
  client.socket.write(GET);
  await eventually('the limit is reached', () => reached.length === 1);
  t.deepEqual(reached, ['unread_responses']);
});

test('an idle connection is closed after five minutes', async (t) => {
  const { open, clock, reached } = await serve(t);
  const client = await open();
  await client.ask(GET);
  clock.advance(200_000);
  await client.ask(GET, 2);
  clock.advance(299_000);
  t.is(await client.ask(GET, 3), OK.repeat(3));
  clock.advance(302_000);
  await client.closed();
  t.deepEqual(reached, []);
});

const LAST = OK.replace('\r\n', '\r\nconnection: close\r\n');

test('a connection ends with its next response when it is old, or when peers are asked to leave', async (t) => {
  const { open, clock, connections } = await serve(t, { maxAgeMs: 10_000 });
  const old = await open();
  t.is(await old.ask(GET), OK);
  clock.advance(10_000);
  t.is(await old.ask(GET, 2), OK + LAST);
  await old.closed();
  const asked = await open();
  t.is(await asked.ask(GET), OK);
  connections.askToLeave();
  t.is(await asked.ask(GET, 2), OK + LAST);
  await asked.closed();
  t.is(await (await open()).ask(GET), OK, 'a connection that comes later stays');
});

test('draining closes idle connections, answers requests that have begun, and takes no new connections', async (t) => {
  let settle: (response: string) => void = () => undefined;
  let count = 0;
  const { open, connections, hasRead } = await serve(t, {
    answer: () => (count++ === 0 ? OK : new Promise((resolve) => (settle = resolve))),
  });
  const [idle, busy, begun] = [await open(), await open(), await open()];
  await idle.ask(GET);
  busy.socket.write(GET);
  await eventually('the request is asked about', () => count === 2);
  begun.socket.write('GET / HTTP/1.1\r\n');
  await hasRead(16);
  connections.drain();
  await idle.closed();
  settle(OK);
  await busy.closed();
  t.is(busy.received, LAST);
  begun.socket.write('\r\n');
  await eventually('the request that had begun is asked about', () => count === 3);
  settle(OK);
  await begun.closed();
  t.is(begun.received, LAST);
  await (await open()).closed();
});
