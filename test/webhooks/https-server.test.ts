import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { ListenError } from '../../src/net/listen-address.js';
import type { AdmissionEndpoint } from '../../src/webhooks/admission/admission-endpoint.js';
import { type ReviewCaller, reviewCallerOf } from '../../src/webhooks/admission/review-caller.js';
import { createHttpsServer, type HttpsServerOptions } from '../../src/webhooks/https-server.js';
import { createWebhookApp } from '../../src/webhooks/webhook-app.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { createTestTlsSource, SERVER_NAME, sharedAuthority } from './fixtures/tls-source.js';

const clientRoot = createTestAuthority('clients of the cluster');

const says =
  (text: string): AdmissionEndpoint =>
  async (_request, response) =>
    void response.end(text);

async function serve(t: ExecutionContext, app: RequestListener, options: Partial<HttpsServerOptions> = {}) {
  const material = createTestTlsSource(sharedAuthority);
  const logger = createRecordingLogger();
  const server = createHttpsServer({ address: '127.0.0.1:0', material, app, logger, clock: systemClock, ...options });
  const { port } = await server.start();
  t.teardown(() => server.stop());
  return { server, port, material, logger };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

function call(port: number, path: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({
      host: '127.0.0.1',
      servername: SERVER_NAME,
      port,
      path,
      ca: sharedAuthority.certificate,
      agent: false,
      ...options,
    })
      .on('error', reject)
      .on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            headers: response.headers,
          }),
        );
      })
      .end();
  });
}

async function openTls(t: ExecutionContext, port: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: SERVER_NAME, ca: sharedAuthority.certificate });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** The close of a socket, also after an error, at which `once` would fail. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function webhookApp(inject: AdmissionEndpoint | undefined = says('inject'), logger = createRecordingLogger()) {
  return createWebhookApp({ validate: says('validate'), inject, logger });
}

for (const [path, answer] of [
  ['/validate', 'validate'],
  ['/validate?timeout=10s', 'validate'],
  ['/admitnavigator', 'validate'],
  ['/admitpolicy', 'validate'],
  ['/inject', 'inject'],
  ['/inject/cluster/a/net/b', 'inject'],
  ['/inject/cluster/%2f/net/b', 'inject'],
  ['/httpsReady', ''],
] as const) {
  test(`${path} is served`, async (t) => {
    const { port } = await serve(t, webhookApp());
    t.like(await call(port, path), { status: 200, text: answer });
  });
}

test('other paths are 404, with the known paths', async (t) => {
  const { port } = await serve(t, webhookApp());
  t.like(await call(port, '/valid'), {
    status: 404,
    text: 'There is no /valid here. This server has /validate, /inject and /httpsReady.\n',
  });
});

test('without injection its paths are 404, and the text says that injection is off', async (t) => {
  const { port } = await serve(
    t,
    createWebhookApp({ validate: says(''), inject: undefined, logger: createRecordingLogger() }),
  );
  t.like(await call(port, '/inject'), {
    status: 404,
    text: 'There is no /inject here. This server has /validate and /httpsReady; injection is off.\n',
  });
});

test('a path that cannot be decoded is 400', async (t) => {
  const { port, logger } = await serve(t, webhookApp());
  t.is((await call(port, '/inject/%zz')).status, 400);
  t.deepEqual(logger.records, []);
});

test('an exception ends only its own request', async (t) => {
  const appLogger = createRecordingLogger();
  const failing: AdmissionEndpoint = () => Promise.reject(new Error('broken'));
  const { port } = await serve(t, webhookApp(failing, appLogger));
  t.is((await call(port, '/inject')).status, 500);
  t.is((await call(port, '/validate')).text, 'validate');
  t.deepEqual(
    appLogger.records.map(({ level, message }) => [level, message]),
    [['error', 'https handler failed']],
  );
});

test('connections are rejected until there is a certificate', async (t) => {
  const material = createTestTlsSource();
  const { port, logger } = await serve(t, webhookApp(), { material });
  await t.throwsAsync(call(port, '/httpsReady'));
  t.like(logger.records[0], { level: 'warn', message: 'https connection refused' });
  material.use(sharedAuthority);
  t.is((await call(port, '/httpsReady')).status, 200);
});

test('the next connection gets a new certificate, while the previous connection stays open', async (t) => {
  const { port, material } = await serve(t, webhookApp());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  t.is((await call(port, '/validate', { agent })).status, 200);
  const next = createTestAuthority('next root');
  material.use(next);
  t.is((await call(port, '/validate', { agent })).status, 200);
  t.is((await call(port, '/validate', { ca: next.certificate })).status, 200);
  await t.throwsAsync(call(port, '/validate'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
});

test('an invalid certificate is logged, and the previous one stays', async (t) => {
  const { port, material, logger } = await serve(t, webhookApp());
  material.useMaterial({ certificate: { certificateChain: 'no', privateKey: 'key' }, clientRoots: [] });
  t.is((await call(port, '/httpsReady')).status, 200);
  t.like(logger.records[0], { level: 'error', message: 'https certificate cannot be used, the previous one stays' });
});

test('a client without TLS is rejected', async (t) => {
  const { port, logger } = await serve(t, webhookApp());
  const socket = connectTcp(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().write('GET /httpsReady HTTP/1.1\r\nHost: a\r\n\r\n');
  await closeOf(socket);
  await eventually('the log line', () => logger.records.length === 1);
  t.is(logger.records[0]?.message, 'https connection refused');
});

test('a port in use is an error that names the flag to change', async (t) => {
  const { port } = await serve(t, webhookApp());
  const second = createHttpsServer({
    address: { host: '127.0.0.1', port },
    material: createTestTlsSource(sharedAuthority),
    app: webhookApp(),
    logger: createRecordingLogger(),
    clock: systemClock,
  });
  const error = await t.throwsAsync(second.start(), { instanceOf: ListenError });
  t.regex(error?.message ?? '', /another process uses the port; set another address with --httpsAddr$/);
  await second.stop();
});

test('a connection without a request after its handshake is closed', async (t) => {
  const { port } = await serve(t, webhookApp(), { timeouts: { headersMs: 100 } });
  const socket = await openTls(t, port);
  socket.resume();
  await closeOf(socket);
  t.is((await call(port, '/httpsReady')).status, 200);
});

test('a connection that sends its headers byte by byte is closed', async (t) => {
  const { port } = await serve(t, webhookApp(), { timeouts: { headersMs: 200 } });
  const socket = await openTls(t, port);
  socket.resume().write('POST /validate HTTP/1.1\r\nX: ');
  const drip = setInterval(() => socket.write('x'), 20);
  await closeOf(socket);
  clearInterval(drip);
  t.is((await call(port, '/httpsReady')).status, 200);
});

test('a connection that sends its body byte by byte is closed', async (t) => {
  const reads: AdmissionEndpoint = async (incoming, response) => {
    incoming.on('error', () => undefined).resume();
    incoming.on('end', () => response.end());
  };
  const app = createWebhookApp({ validate: reads, inject: undefined, logger: createRecordingLogger() });
  const { port } = await serve(t, app, { timeouts: { headersMs: 100, requestMs: 200 } });
  const socket = await openTls(t, port);
  socket.resume().write('POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
  const drip = setInterval(() => socket.write('x'), 20);
  await closeOf(socket);
  clearInterval(drip);
  t.is((await call(port, '/httpsReady')).status, 200);
});

test('connections without a request are closed to make room for others', async (t) => {
  const { port } = await serve(t, webhookApp(), { limits: { maxConnections: 3 } });
  const idle = await Promise.all([openTls(t, port), openTls(t, port), openTls(t, port)]);
  const closed = Promise.race(idle.map((socket) => closeOf(socket.resume())));
  t.is((await call(port, '/httpsReady')).status, 200);
  await closed;
  t.pass();
});

test('connections with incomplete bodies make room for others, those that wait for answers do not', async (t) => {
  let finish = (): void => undefined;
  const validate: AdmissionEndpoint = async (incoming, response) => {
    incoming.on('error', () => undefined).resume();
    incoming.on('end', () => {
      finish = () => void response.end('done');
    });
  };
  const app = createWebhookApp({ validate, inject: says('inject'), logger: createRecordingLogger() });
  const { port } = await serve(t, app, { limits: { maxConnections: 3 } });
  const waiting = call(port, '/validate');
  const begun = finish;
  await eventually('a request waits for its answer', () => finish !== begun);
  const slow = await Promise.all([openTls(t, port), openTls(t, port)]);
  const gone = slow.map((socket) => closeOf(socket.resume()));
  for (const socket of slow) socket.write('POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx');
  t.is((await call(port, '/inject')).text, 'inject');
  t.is((await call(port, '/inject')).text, 'inject');
  await Promise.race(gone);
  finish();
  t.is((await waiting).text, 'done');
});

for (const [title, certificateOf, trusted] of [
  ['no certificate is anonymous', () => undefined, false],
  ['a certificate of the cluster is trusted', () => clientRoot.issue({ usages: ['client'] }), true],
  ['a certificate of another authority is anonymous', () => sharedAuthority.issue({ usages: ['client'] }), false],
  ['a server certificate is anonymous', () => clientRoot.issue({ usages: ['server'] }), false],
] as const) {
  test(`a caller with ${title}`, async (t) => {
    const callers: ReviewCaller[] = [];
    const validate: AdmissionEndpoint = async (incoming, response) => {
      callers.push(reviewCallerOf(incoming));
      response.end();
    };
    const app = createWebhookApp({ validate, inject: undefined, logger: createRecordingLogger() });
    const { port, material } = await serve(t, app);
    const present = material.current();
    if (present !== undefined) material.useMaterial({ ...present, clientRoots: [clientRoot.certificate] });
    const presented = certificateOf();
    const options = presented === undefined ? {} : { cert: presented.certificate, key: presented.key };
    t.is((await call(port, '/validate', options)).status, 200);
    t.deepEqual(callers, [{ source: '127.0.0.1', isTrusted: trusted }]);
  });
}

test('stop waits for a running request, and not for idle connections', async (t) => {
  let finish = (): void => undefined;
  const waits: AdmissionEndpoint = async (_request, response) => {
    finish = () => void response.end('done');
  };
  const { server, port } = await serve(t, webhookApp(waits));
  const idle = await openTls(t, port);
  const idleEnds = closeOf(idle.resume());
  const answer = call(port, '/inject');
  const begun = finish;
  await eventually('the request runs', () => finish !== begun);
  const stopped = server.stop();
  await idleEnds;
  finish();
  t.is((await answer).text, 'done');
  await stopped;
  await t.throwsAsync(call(port, '/httpsReady'));
});

test('stop closes requests that do not end in time', async (t) => {
  const clock = createFakeClock();
  let running = false;
  const never: AdmissionEndpoint = async () => {
    running = true;
  };
  const { server, port, logger } = await serve(t, webhookApp(never), { clock });
  const answer = call(port, '/inject');
  const ended = t.throwsAsync(answer);
  await eventually('the request runs', () => running);
  const stopped = server.stop();
  clock.advance(10_000);
  await Promise.all([ended, stopped]);
  t.is(logger.records.at(-1)?.message, 'https requests cut off at shutdown');
});

test('stop may be called before start, and twice', async (t) => {
  const server = createHttpsServer({
    address: ':0',
    material: createTestTlsSource(),
    app: webhookApp(),
    logger: createRecordingLogger(),
    clock: systemClock,
  });
  await t.notThrowsAsync(Promise.all([server.stop(), server.stop()]));
});
