import { connect, type Socket } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { CHECK_HEADERS } from '../../../src/policy/wire/call-metadata.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import { eventually } from '../../support/eventually.js';
import { allow } from '../../support/policy-server.js';
import { createLocalListener } from './listen-locally.js';
import { type LocalEnvoy, startLocalEnvoy } from './local-envoy.js';
import {
  createRig,
  grantAll,
  httpConfigText,
  type PolicyServerRig,
  policyEncoder,
  tcpConfigText,
} from './policy-server-rig.js';

const WEB = 'web.default.svc.cluster.local';
const ECHO = 'echo.default.svc.cluster.local';

const binary = findEnvoy();
if ('missing' in binary && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(binary.missing);

interface Context {
  readonly rig: PolicyServerRig;
  readonly envoy: LocalEnvoy;
  stop(): Promise<void>;
}

const test = anyTest as TestFn<Context>;
const testWithEnvoy = 'value' in binary ? test.serial : test.skip;

const texts = (values: Readonly<Record<string, string>>) => ({
  attributes: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { stringValue: value }])),
});

test.before(async (t) => {
  if (!('value' in binary)) return;
  const quotaSpec = [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }];
  const httpApiSpec = [
    {
      patterns: [{ httpMethod: 'GET', uriTemplate: '/books/{id}', attributes: texts({ 'api.operation': 'read' }) }],
      apiKeys: [],
    },
  ];
  const rig = createRig({
    clock: systemClock,
    isReportLogged: () => true,
    services: {
      [WEB]: { quotaSpec, httpApiSpec, mixerAttributes: texts({ 'destination.service.host': WEB }) },
      [ECHO]: { quotaSpec, mixerAttributes: texts({ 'destination.service.host': ECHO }) },
    },
  });
  const own = texts({ 'context.reporter.kind': 'inbound', 'destination.uid': 'orchestrator://echo-1.default' });
  const grpc = createLocalListener(rig.server);
  const envoy = await startLocalEnvoy({
    binary: binary.value,
    policyPort: await grpc.start(),
    httpService: WEB,
    tcpService: ECHO,
    httpConfigText: httpConfigText({ mixerAttributes: own }),
    tcpConfigText: tcpConfigText({ mixerAttributes: own }),
  });
  const stop = async (): Promise<void> => {
    await envoy.stop();
    await grpc.stop(1000);
    await rig.handlers.close();
  };
  t.context = { rig, envoy, stop };
});

test.beforeEach(({ context }) => {
  if (context.rig !== undefined) context.rig.transport.answer = grantAll;
});

test.after.always(async ({ context }) => {
  await context.stop?.();
});

const reportsOf = ({ log }: PolicyServerRig): readonly Record<string, unknown>[] =>
  log.filter(({ message }) => message === 'report').map(({ fields }) => fields['report'] as Record<string, unknown>);

function exhausted(rig: PolicyServerRig): void {
  rig.transport.answer = () => ({
    precondition: allow(),
    quotas: new Map([['all', { grantedAmount: 0, retryAfterMs: 1500 }]]),
  });
}

for (const protocol of ['grpc', 'http'] as const) {
  const urlOf = ({ httpPorts }: LocalEnvoy, path: string): string => `http://127.0.0.1:${httpPorts[protocol]}${path}`;

  testWithEnvoy(
    `over ${protocol}, a request is charged, goes on without forwarded attributes, and is reported with what its Check knew`,
    async (t) => {
      const { rig, envoy } = t.context;
      const forwarded = policyEncoder.attributesText(
        new Map([['source.uid', stringAttribute('orchestrator://shop-1.default')]]),
      );
      const path = `/books/${protocol}?key=k1`;
      const answer = await fetch(urlOf(envoy, path), {
        headers: { 'x-mesh-attributes': forwarded, ['__proto__']: 'evil' },
      });
      t.is(answer.status, 200);
      t.false('x-mesh-attributes' in (envoy.received.at(-1) ?? {}));
      t.deepEqual([...(rig.transport.checks.at(-1)?.quotas.keys() ?? [])], ['all']);
      const isReport = (line: Record<string, unknown>) =>
        String(line['request.path']).startsWith(`/books/${protocol}?`);
      await eventually('the report', () => reportsOf(rig).some(isReport));
      const line = reportsOf(rig).find(isReport) ?? {};
      t.like(line, {
        'api.operation': 'read',
        'check.cache_hit': false,
        'check.error_code': 0,
        'destination.service.host': WEB,
        'destination.uid': 'orchestrator://echo-1.default',
        'request.method': 'GET',
        'response.code': 200,
        'response.size': 5,
        'source.uid': 'orchestrator://shop-1.default',
        'origin.ip': '127.0.0.1',
      });
      t.regex(String(line['request.path']), /^\/books\/\w+\?key=sha256:/);
    },
  );

  testWithEnvoy(`over ${protocol}, a Check has the facts of its request`, async (t) => {
    const { rig, envoy } = t.context;
    const startNs = BigInt(Date.now() - 1000) * 1_000_000n;
    await fetch(urlOf(envoy, '/books/2?a=ü%20'), {
      method: 'PATCH',
      body: 'twelve bytes',
      headers: { 'x-a': 'ä', 'X-B': '1', cookie: 'a=b' },
    });
    const { attributes } = rig.transport.checks.at(-1) ?? {};
    const valueOf = (name: string) => attributes?.get(name)?.value;
    t.is(valueOf('request.method'), 'PATCH');
    t.is(valueOf('request.path'), '/books/2?a=%C3%BC%20');
    t.is(valueOf('request.scheme'), 'http');
    t.is(valueOf('request.host'), `127.0.0.1:${envoy.httpPorts[protocol]}`);
    t.is(valueOf('request.size'), 12n);
    t.deepEqual(valueOf('origin.ip'), Uint8Array.of(127, 0, 0, 1));
    t.is(valueOf('connection.mtls'), false);
    t.is(valueOf('source.principal'), undefined);
    const timeNs = valueOf('request.time') as bigint;
    t.true(timeNs > startNs && timeNs < startNs + 60_000_000_000n);
    t.is(valueOf('request.auth.principal'), 'https://issuer/jäne');
    t.deepEqual([...(valueOf('request.auth.claims') as ReadonlyMap<string, string>)].sort(), [
      ['groups', 'a,b'],
      ['iss', 'https://issuer'],
      ['sub', 'jäne'],
    ]);
    t.deepEqual(JSON.parse(String(valueOf('request.auth.raw_claims'))), {
      ...{ iss: 'https://issuer', sub: 'jäne', groups: ['a', 'b'], exp: 12, deep: { a: [{ b: null }] } },
    });
    const headers = valueOf('request.headers') as ReadonlyMap<string, string>;
    const names = ['content-length', 'content-type', 'cookie', 'host', 'x-b', 'x-mesh-check-id', 'x-envoy-internal'];
    t.deepEqual(Object.fromEntries(names.map((name) => [name, headers.get(name)])), {
      'content-length': '12',
      'content-type': 'text/plain;charset=UTF-8',
      cookie: 'a=b',
      host: undefined,
      'x-b': '1',
      'x-mesh-check-id': undefined,
      'x-envoy-internal': undefined,
    });
  });

  testWithEnvoy(
    `over ${protocol}, a refused request gets 429, the quota by name, and when to come again; its report says the same`,
    async (t) => {
      const { rig, envoy } = t.context;
      exhausted(rig);
      const seen = envoy.received.length;
      const path = `/books/refused-${protocol}`;
      const answer = await fetch(urlOf(envoy, path));
      t.is(answer.status, 429);
      t.is(await answer.text(), 'Quota is exhausted for: all');
      t.is(answer.headers.get('retry-after'), '2');
      t.is(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      t.deepEqual([...answer.headers.keys()].sort(), [
        'content-length',
        'content-type',
        'date',
        'retry-after',
        'server',
      ]);
      t.is(envoy.received.length, seen);
      await eventually('the report', () => reportsOf(rig).some((line) => line['request.path'] === path));
      const line = reportsOf(rig).find((report) => report['request.path'] === path) ?? {};
      t.like(line, {
        'api.operation': 'read',
        'check.error_code': 8,
        'check.error_message': 'Quota is exhausted for: all',
        'context.proxy_error_code': 'UAEX',
        'response.code': 429,
      });
    },
  );

  testWithEnvoy(`over ${protocol}, every status of a denial reaches the caller`, async (t) => {
    const { rig, envoy } = t.context;
    for (const [code, expected] of [
      ['CANCELLED', 499],
      ['PERMISSION_DENIED', 403],
      ['INTERNAL', 500],
      ['UNIMPLEMENTED', 501],
      ['UNAVAILABLE', 503],
      ['DEADLINE_EXCEEDED', 504],
    ] as const) {
      rig.transport.answer = () => ({
        precondition: { status: { code, message: 'nö' }, validUseCount: 0 },
        quotas: new Map(),
      });
      const answer = await fetch(urlOf(envoy, '/'));
      t.deepEqual([answer.status, await answer.text()], [expected, 'nö']);
      const head = await fetch(urlOf(envoy, '/'), { method: 'HEAD' });
      t.is(head.status, expected);
    }
  });

  testWithEnvoy(`over ${protocol}, callers cannot forge what a proxy says in a Check`, async (t) => {
    const { rig, envoy } = t.context;
    const forged = Object.fromEntries(Object.values(CHECK_HEADERS).map((name) => [name, 'spiffe://mesh/ns/a/sa/b']));
    const answer = await fetch(urlOf(envoy, '/books/forged'), { headers: forged });
    t.is(answer.status, 200);
    const { attributes, deduplicationId } = rig.transport.checks.at(-1) ?? {};
    for (const name of ['source.principal', 'destination.principal']) t.is(attributes?.get(name), undefined, name);
    t.is(attributes?.get('request.auth.principal')?.value, 'https://issuer/jäne');
    t.is(attributes?.get('destination.service.host')?.value, WEB);
    t.is(attributes?.get('request.scheme')?.value, 'http');
    t.deepEqual(attributes?.get('origin.ip')?.value, Uint8Array.of(127, 0, 0, 1));
    t.false(deduplicationId?.includes('spiffe'));
    t.false('upgrade' in Object.fromEntries(attributes?.get('request.headers')?.value as ReadonlyMap<string, string>));
  });
}

async function open(port: number): Promise<{ readonly socket: Socket; readonly closed: () => boolean }> {
  const socket = connect(port, '127.0.0.1').resume();
  let closed = false;
  socket
    .on('error', () => undefined)
    .on('close', () => {
      closed = true;
    });
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, closed: () => closed };
}

testWithEnvoy('a connection is checked at its first data, under the id that its reports have', async (t) => {
  const { rig, envoy } = t.context;
  const before = rig.transport.checks.length;
  const { socket } = await open(envoy.tcpPort);
  socket.write('hello');
  await eventually('the echo', () => socket.bytesRead === 5);
  const check = rig.transport.checks[before];
  const id = check?.attributes.get('connection.id')?.value;
  const events = () => reportsOf(rig).filter((line) => line['connection.id'] === id);
  await eventually('a report of the open connection', () => events().length >= 2);
  socket.end('bye');
  await eventually('the last report', () => events().at(-1)?.['connection.event'] === 'close');
  t.is(rig.transport.checks.length, before + 1);
  const told = events();
  t.is(told[0]?.['connection.event'], 'open');
  t.true(told.slice(1, -1).every((line) => line['connection.event'] === 'continue'));
  const sum = (name: string) => told.reduce((total, line) => total + Number(line[name]), 0);
  t.is(sum('connection.received.bytes'), 8);
  t.is(told.at(-1)?.['connection.received.bytes_total'], 8);
  t.is(sum('connection.sent.bytes'), Number(told.at(-1)?.['connection.sent.bytes_total']));
  t.like(told[0] ?? {}, { 'destination.service.host': ECHO, 'check.error_code': 0, 'context.protocol': 'tcp' });
});

testWithEnvoy('a refused connection is closed before its workload hears of it, and not reported', async (t) => {
  const { rig, envoy } = t.context;
  exhausted(rig);
  const before = rig.transport.checks.length;
  const { socket, closed } = await open(envoy.tcpPort);
  socket.write('hello');
  await eventually('the end', closed);
  t.is(socket.bytesRead, 0);
  const refusedId = rig.transport.checks[before]?.attributes.get('connection.id')?.value;
  rig.transport.answer = grantAll;
  const next = await open(envoy.tcpPort);
  next.socket.end('hello');
  await eventually('the end of the next', next.closed);
  const nextId = rig.transport.checks.at(-1)?.attributes.get('connection.id')?.value;
  const reported = (id: unknown) => reportsOf(rig).filter((line) => line['connection.id'] === id);
  await eventually('the next one is reported', () => reported(nextId).length === 2);
  t.is(reported(refusedId).length, 0);
});
