import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createHttpConnections, type HttpConnectionsOptions, httpTimeouts } from '../../src/net/http-connections.js';
import type { HttpRefusal } from '../../src/net/http-intake.js';
import { eventually } from '../support/eventually.js';

interface Held {
  readonly url: string;
  answer(): void;
}

/** A server whose answers the test gives. */
async function serve(t: ExecutionContext, options: Partial<HttpConnectionsOptions> = {}) {
  const begun: Held[] = [];
  const refusals: HttpRefusal[] = [];
  const { server } = createHttpConnections(
    (request, response) =>
      begun.push({ url: request.url ?? '', answer: () => response.end(`answer to ${request.url}\n`) }),
    { timeouts: httpTimeouts(), onRefused: (refusal) => refusals.push(refusal), ...options },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, begun, refusals };
}

function open(t: ExecutionContext, port: number, localAddress = '127.0.0.1') {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  t.teardown(() => socket.destroy());
  const client = { socket, received: '', isClosed: false };
  socket.setEncoding('utf8').on('data', (text) => {
    client.received += text;
  });
  socket.on('close', () => {
    client.isClosed = true;
  });
  return client;
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

test('pipelined requests run one after another, in order', async (t) => {
  const { port, begun } = await serve(t);
  const client = open(t, port);
  client.socket.write(get('/1') + get('/2') + get('/3'));
  for (const count of [1, 2, 3]) {
    await eventually(`request ${count} begins`, () => begun.length === count);
    await new Promise(setImmediate);
    t.is(begun.length, count, 'the next request waits for the answer');
    begun[count - 1]?.answer();
  }
  await eventually('all answers', () => client.received.includes('answer to /3'));
  t.deepEqual(client.received.match(/answer to \S+/g), ['answer to /1', 'answer to /2', 'answer to /3']);
});

test('a connection with 300 pipelined requests is closed with a reason, and one of them runs', async (t) => {
  const { port, begun, refusals } = await serve(t);
  const client = open(t, port);
  client.socket.write(get('/').repeat(300));
  await eventually('the connection is closed', () => client.isClosed);
  t.regex(client.received, /^HTTP\/1\.1 400 .*Wait for each answer before you send the next request\.\n$/s);
  t.is(begun.length, 1);
  t.deepEqual(refusals, [{ peer: '127.0.0.1', reason: 'pipelining' }]);
});

test('requests that wait behind a response do not run after their client has disconnected', async (t) => {
  const { port, begun } = await serve(t);
  const client = open(t, port);
  client.socket.write(get('/1') + get('/2'));
  await eventually('the first begins', () => begun.length === 1);
  client.socket.destroy();
  const other = open(t, port);
  other.socket.write(get('/other'));
  await eventually('another client is served', () => begun.length === 2);
  begun[0]?.answer();
  begun[1]?.answer();
  await eventually('it has its answer', () => other.received.includes('answer to /other'));
  t.deepEqual(
    begun.map(({ url }) => url),
    ['/1', '/other'],
  );
});

for (const [title, request] of [
  ['two Host headers', get('/', 'Host: other\r\n')],
  ['the same Host header twice', get('/', 'host: localhost\r\n')],
] as const) {
  test(`a request with ${title} is 400 and reaches no handler`, async (t) => {
    const { port, begun, refusals } = await serve(t);
    const client = open(t, port);
    client.socket.write(request);
    await eventually('the connection is closed', () => client.isClosed);
    t.regex(client.received, /^HTTP\/1\.1 400 .*more than one Host header/s);
    t.is(begun.length, 0);
    t.deepEqual(refusals, [{ peer: '127.0.0.1', reason: 'host-header' }]);
  });
}

test('one address gets at most its share of connections, and other addresses are served', async (t) => {
  const limits = { maxConnections: 10, maxConnectionsPerPeer: 3 };
  const { port, begun, refusals } = await serve(t, { limits });
  const greedy = Array.from({ length: 3 }, () => open(t, port, '127.0.0.5'));
  for (const { socket } of greedy) socket.write(get('/greedy'));
  await eventually('its requests run', () => begun.length === 3);
  const fourth = open(t, port, '127.0.0.5');
  await eventually('its fourth connection is closed', () => fourth.isClosed);
  t.deepEqual(refusals, [{ peer: '127.0.0.5', reason: 'connections-per-peer' }]);
  const other = open(t, port, '127.0.0.6');
  other.socket.write(get('/other'));
  await eventually('another address is served', () => begun.some(({ url }) => url === '/other'));
  t.false(greedy.some(({ isClosed }) => isClosed));
});

test('when connections run out, one of the address with the most connections is closed', async (t) => {
  const { port, refusals } = await serve(t, { limits: { maxConnections: 4 } });
  const first = open(t, port, '127.0.0.6');
  await once(first.socket, 'connect');
  const greedy = Array.from({ length: 3 }, () => open(t, port, '127.0.0.5'));
  await Promise.all(greedy.map(({ socket }) => once(socket, 'connect')));
  open(t, port, '127.0.0.7').socket.resume();
  await eventually('one is closed', () => refusals.length === 1);
  t.deepEqual(refusals, [{ peer: '127.0.0.5', reason: 'connections' }]);
  t.false(first.isClosed);
});

test('a client that reads its response slowly is closed to make room for another client', async (t) => {
  const { server } = createHttpConnections((_request, response) => void response.end(Buffer.alloc(32 << 20)), {
    timeouts: httpTimeouts(),
    limits: { maxConnections: 2 },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const slow = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  for (const socket of slow) {
    t.teardown(() => socket.destroy());
    socket.write(get('/'));
    await once(socket, 'readable');
  }
  const other = open(t, port);
  other.socket.write(get('/'));
  await eventually('the third is served', () => other.received.length > 0);
  t.pass();
});
