import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test from 'ava';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { createHttpServer } from '../../src/introspection/http-server.js';
import type { Page } from '../../src/introspection/page.js';
import { ListenError } from '../../src/net/listen-address.js';
import { untilClosed } from '../support/until-closed.js';
import { call } from './fixtures/http-client.js';
import { recordingLogger, serve } from './fixtures/serve.js';

/** A connection that reports every kind of end as `close`. */
function openSocket(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

function bareServer(address: string) {
  return createHttpServer({
    address,
    setting: '--monitoringAddr',
    app: (_request, response) => response.end('ok'),
    logger: recordingLogger([]),
    clock: systemClock,
  });
}

test('start returns the address, with the port that the system chose', async (t) => {
  const server = bareServer('127.0.0.1:0');
  const bound = await server.start();
  t.teardown(() => server.stop());
  t.is(bound.host, '127.0.0.1');
  t.is((await call(bound.port, '/')).body, 'ok');
});

test('an address without a host listens on every interface', async (t) => {
  const server = bareServer(':0');
  const { port } = await server.start();
  t.teardown(() => server.stop());
  t.is((await call(port, '/', { localAddress: '127.0.0.3' })).status, 200);
});

test('a port in use is an error that names the address and its flag', async (t) => {
  const { port } = await serve(t);
  const error = await t.throwsAsync(bareServer(`127.0.0.1:${port}`).start(), { instanceOf: ListenError });
  t.is(error?.code, 'EADDRINUSE');
  t.is(
    error?.message,
    `cannot listen on 127.0.0.1:${port}: another process uses the port; set another address with --monitoringAddr`,
  );
});

test('an address of another machine is an error that names it', async (t) => {
  const error = await t.throwsAsync(bareServer('192.0.2.1:0').start(), { instanceOf: ListenError });
  t.regex(error?.message ?? '', /no network interface of this machine has the address/);
});

test('two servers may share one app', async (t) => {
  const first = await serve(t);
  const second = await serve(t, { address: '[::1]:0' });
  t.is((await call(first.port, '/ready')).status, 200);
  t.not(first.port, second.port);
});

test('stop returns at once when nothing runs, and may be called twice or before start', async (t) => {
  const { server, port } = await serve(t);
  await call(port, '/ready');
  await Promise.all([server.stop(), server.stop()]);
  // The connection is reset if another process has taken the port meanwhile.
  const error = await t.throwsAsync<NodeJS.ErrnoException>(call(port, '/ready'));
  t.regex(String(error?.code), /^ECONN(REFUSED|RESET)$/);
  await t.notThrowsAsync(bareServer(':0').stop());
});

test('stop does not wait for connections without a complete request', async (t) => {
  const { server, port } = await serve(t);
  const silent = openSocket(port);
  const half = openSocket(port);
  await Promise.all([once(silent, 'connect'), once(half, 'connect')]);
  half.write('GET /ready HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  const ends = [untilClosed(silent), untilClosed(half)];
  for (const socket of [silent, half]) socket.resume();
  // An answered request shows that the server has seen the connections before it.
  await call(port, '/ready');
  const startMs = performance.now();
  await server.stop();
  await Promise.all(ends);
  t.true(performance.now() - startMs < 5000);
});

/** A page that answers when the test releases it. */
function gate() {
  const { promise: entered, resolve: enter } = withResolvers();
  const { promise: released, resolve: release } = withResolvers();
  const page: Page = {
    path: '/slow',
    description: '',
    audience: 'anyone',
    handle: async () => {
      enter();
      await released;
      return { type: 'text', text: 'done' };
    },
  };
  return { page, entered, release };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('stop lets a running response finish and then closes its kept-alive connection', async (t) => {
  t.timeout(50_000, 'the connection must wait neither for its keep-alive timeout nor for the end of the grace period');
  const { promise: released, resolve: release } = withResolvers();
  const server = createHttpServer({
    address: '127.0.0.1:0',
    setting: '--httpAddr',
    app: (_request, response) => {
      response.writeHead(200, { 'Content-Length': 4 }).flushHeaders();
      void released.then(() => response.end('done'));
    },
    logger: recordingLogger([]),
    clock: systemClock,
    timeouts: { keepAliveMs: 120_000, graceMs: 120_000 },
  });
  const { port } = await server.start();
  const socket = openSocket(port);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  await once(socket, 'data');
  const stopped = server.stop();
  release();
  await Promise.all([stopped, untilClosed(socket)]);
  t.regex(received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\ndone$/);
});

test('stop closes the connection of a request that runs longer than the grace period', async (t) => {
  const scheduled: { delayMs: number; callback: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    schedule: (delayMs, callback) => {
      scheduled.push({ delayMs, callback });
      return () => {};
    },
  };
  const { page, entered } = gate();
  const { port, server, log } = await serve(t, { pages: [page], clock, timeouts: { graceMs: 1234 } });
  const answer = call(port, '/slow');
  await entered;
  const stopped = server.stop();
  t.is(scheduled[0]?.delayMs, 1234);
  scheduled[0]?.callback();
  await t.throwsAsync(answer);
  await stopped;
  t.like(log.at(-1), { level: 'warn', message: 'http requests cut off at shutdown' });
});

test('a client that does not finish its headers gets 408, and its connection is closed', async (t) => {
  const { port } = await serve(t, { timeouts: { headersMs: 50, requestMs: 100 } });
  const socket = openSocket(port);
  socket.write('GET /ready HTTP/1.1\r\n');
  const [reply] = await once(socket.setEncoding('utf8'), 'data');
  t.regex(reply, /^HTTP\/1\.1 408 /);
  await untilClosed(socket);
});

test('the connection of a client that neither reads nor writes after its request is closed', async (t) => {
  const { page, entered } = gate();
  const { port } = await serve(t, { pages: [page], timeouts: { idleMs: 500 } });
  // Without processor time, the connection may be idle too long before its request is read. Then another one is opened.
  for (let isEntered = false; !isEntered; ) {
    const socket = openSocket(port);
    const closed = untilClosed(socket.resume());
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    isEntered = await Promise.race([entered.then(() => true), closed.then(() => false)]);
    await closed;
  }
  t.pass();
});
