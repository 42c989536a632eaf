import { type ClientHttp2Session, connect } from 'node:http2';
import { createServer } from 'node:net';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import type { PolicyListener } from '../../../../src/policy/server/policy-listener.js';
import { callUnary } from '../../../attacks/support/raw-http2.js';
import { eventually } from '../../../support/eventually.js';
import { loopbackListener } from '../../../support/grpc-listener.js';
import { HTTP_LOG_ENTRY } from '../adapter/envoy-recordings.js';
import { createLocalListener } from '../listen-locally.js';
import {
  checkRequestBytes,
  createRig,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  type PolicyServerRig,
  type ReadCheckResponse,
  readCheckResponse,
} from '../policy-server-rig.js';

const SETTINGS = loopbackListener(100_000);

const CHECK = '/envoy.service.auth.v3.Authorization/Check';
const LOGS = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
const HEALTH = '/grpc.health.v1.Health/Check';
const BOOKS = 'books.default.svc.cluster.local';

const passThrough = (bytes: Buffer): Buffer => bytes;

interface Served {
  readonly grpc: PolicyListener;
  readonly client: Client;
  readonly port: number;
  call(path: string, bytes: Buffer, metadata?: Readonly<Record<string, string>>): Promise<Buffer>;
  check(message: object, metadata?: Readonly<Record<string, string>>): Promise<ReadCheckResponse>;
}

async function serve(t: ExecutionContext, rig: PolicyServerRig): Promise<Served> {
  const grpc = createLocalListener(rig.server, { settings: SETTINGS });
  const port = await grpc.start();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  t.teardown(async () => {
    client.close();
    await grpc.stop(100);
    await rig.handlers.close();
  });
  const call: Served['call'] = (path, bytes, fields = {}) => {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(fields)) metadata.set(key, value);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, passThrough, passThrough, bytes, metadata, (error, value) => {
        if (error === null && value !== undefined) resolve(value);
        else reject(error);
      });
    });
  };
  const check: Served['check'] = async (message, metadata) =>
    readCheckResponse(await call(CHECK, checkRequestBytes(message), metadata));
  return { grpc, client, port, call, check };
}

function openLogs(client: Client) {
  let answered = false;
  let failed: ServiceError | undefined;
  const stream = client.makeClientStreamRequest(LOGS, passThrough, passThrough, (error) => {
    if (error === null) answered = true;
    else failed = error;
  });
  stream.on('error', () => undefined);
  return {
    stream,
    get answered() {
      return answered;
    },
    get failed() {
      return failed;
    },
  };
}

test('the metadata of a Check over gRPC selects its answer', async (t) => {
  const quotaSpec = [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }];
  const rig = createRig({ services: { [BOOKS]: { quotaSpec } } });
  const { check } = await serve(t, rig);
  const uid = { stringValue: 'orchestrator://books-1.default' };
  const configText = httpConfigText({ mixerAttributes: { attributes: { 'destination.uid': uid } } });
  const { status: outcome } = await check(httpCheck(), { 'x-mesh-client-config': configText, 'x-mesh-service': BOOKS });
  t.is(outcome.code, 0);
  t.deepEqual([...(rig.transport.checks[0]?.quotas.keys() ?? [])], ['all']);
  t.is(rig.transport.checks[0]?.attributes.get('destination.uid')?.value, uid.stringValue);
});

test("a connection's Check has the id and the time that Envoy fills in, or its own where Envoy has none", async (t) => {
  const rig = createRig();
  const { check } = await serve(t, rig);
  await check(
    { attributes: {} },
    { 'x-mesh-connection-id': 'f42f5233', 'x-mesh-connection-time': '1795271864.587166000' },
  );
  await check({ attributes: {} }, { 'x-mesh-connection-id': '-', 'x-mesh-connection-time': '-' });
  const [first, second] = rig.transport.checks.map(({ attributes }) => attributes);
  t.is(first?.get('connection.id')?.value, 'f42f5233');
  t.is(first?.get('context.time')?.value, 1_795_271_864_587_166_000n);
  t.regex(String(second?.get('connection.id')?.value), /^id\d+-0$/);
});

test('invalid Checks are refused with INVALID_ARGUMENT, an unreadable configuration with INTERNAL', async (t) => {
  const { call, check } = await serve(t, createRig());
  const refused = await t.throwsAsync<ServiceError>(() => call(CHECK, Buffer.from('ff', 'hex')));
  t.is(refused?.code, status.INVALID_ARGUMENT);
  const failed = await t.throwsAsync<ServiceError>(() => check(httpCheck(), { 'x-mesh-client-config': '!' }));
  t.is(failed?.code, status.INTERNAL);
  t.is((await check(httpCheck())).status.code, 0);
});

test('a message above the limit is refused, and the connection goes on', async (t) => {
  const { check } = await serve(t, createRig());
  const headers = { 'x-large': 'x'.repeat(200_000) };
  const error = await t.throwsAsync<ServiceError>(() => check(httpCheck({ headers })));
  t.is(error?.code, status.RESOURCE_EXHAUSTED);
  t.is((await check(httpCheck())).status.code, 0);
});

test('the entries of an access log are reported as they come', async (t) => {
  const rig = createRig({ isReportLogged: () => true });
  const { client } = await serve(t, rig);
  const { stream } = openLogs(client);
  for (let index = 0; index < 20; index++) stream.write(logMessageBytes({ httpLogs: { logEntry: [HTTP_LOG_ENTRY] } }));
  await eventually('20 reports', () => rig.log.filter(({ message }) => message === 'report').length === 20);
  stream.end();
  t.pass();
});

test('an access log that its proxy ends is answered', async (t) => {
  const { client } = await serve(t, createRig());
  const logs = openLogs(client);
  logs.stream.write(logMessageBytes({}));
  logs.stream.end();
  await eventually('the answer', () => logs.answered);
  t.is(logs.failed, undefined);
});

test('an access log whose proxy disconnects affects no other stream', async (t) => {
  const rig = createRig();
  const { client, check } = await serve(t, rig);
  const { stream } = openLogs(client);
  stream.write(logMessageBytes({ httpLogs: { logEntry: [HTTP_LOG_ENTRY] } }));
  await eventually('the report', async () => (await rig.scrape()).includes('policy_server_requests_total'));
  stream.cancel();
  t.is((await check(httpCheck())).status.code, 0);
});

test('stopping answers the Checks that have begun, ends access logs well, and takes no more', async (t) => {
  const rig = createRig();
  let answer = (): void => undefined;
  rig.transport.answer = () =>
    new Promise((resolve) => {
      answer = () =>
        resolve({ precondition: { status: { code: 'OK', message: '' }, validUseCount: 0 }, quotas: new Map() });
    });
  const { grpc, client, check } = await serve(t, rig);
  const logs = openLogs(client);
  logs.stream.write(logMessageBytes({ httpLogs: { logEntry: [HTTP_LOG_ENTRY] } }));
  await eventually('the log', async () => (await rig.scrape()).includes('policy_server_requests_total'));
  const begun = check(httpCheck());
  await eventually('the Check', () => rig.transport.checks.length === 1);
  const stopped = grpc.stop(10_000);
  await eventually('the end of the log', () => logs.answered);
  answer();
  t.is((await begun).status.code, 0);
  client.close();
  await stopped;
  t.is(logs.failed, undefined);
});

test('stopping waits at most the grace period for a Check without a decision', async (t) => {
  const rig = createRig();
  rig.transport.answer = () => new Promise(() => undefined);
  const { grpc, check } = await serve(t, rig);
  const begun = check(httpCheck()).catch((error: ServiceError) => error.code);
  await eventually('the Check', () => rig.transport.checks.length === 1);
  await grpc.stop(50);
  // gRPC has either name for a connection that is cut off.
  t.true([status.UNAVAILABLE, status.INTERNAL].includes((await begun) as status));
});

test('a connection that is asked to leave ends when its calls are answered, and others are taken', async (t) => {
  const rig = createRig();
  const { grpc, port } = await serve(t, rig);
  const open = () => {
    const session = connect(`http://127.0.0.1:${port}`);
    t.teardown(() => session.destroy());
    return session;
  };
  const ask = async (session: ClientHttp2Session): Promise<number> => {
    const metadata = { 'x-mesh-client-config': httpConfigText({}), 'x-mesh-service': BOOKS };
    return readCheckResponse(await callUnary(session, CHECK, checkRequestBytes(httpCheck()), metadata)).status.code;
  };
  const session = open();
  t.is(await ask(session), 0);
  let lastStream: number | undefined;
  session.once('goaway', (_code, lastStreamId) => {
    lastStream = lastStreamId;
  });
  grpc.askToLeave();
  await eventually('the connection has ended', () => session.destroyed);
  t.is(lastStream, 1, 'calls beyond are known not to have been processed');
  t.is(await ask(open()), 0);
});

test('the health service shows whether the server serves', async (t) => {
  const { grpc, call } = await serve(t, createRig());
  const health = async () => (await call(HEALTH, Buffer.alloc(0))).toString('hex');
  t.is(await health(), '0802');
  grpc.setServing(true);
  t.is(await health(), '0801');
});

test("a port that is in use ends the start with the system's error", async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const grpc = createLocalListener(createRig().server, { settings: { ...SETTINGS, port } });
  const error = await t.throwsAsync<NodeJS.ErrnoException>(() => grpc.start());
  t.is(error?.code, 'EADDRINUSE');
  await grpc.stop(0);
});

test('a thousand Checks at once are all answered', async (t) => {
  const rig = createRig();
  const { check } = await serve(t, rig);
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => check(httpCheck({ id: `${index}` }))));
  t.true(answers.every(({ status: { code } }) => code === 0));
  t.is(rig.transport.checks.length, 1000);
});
