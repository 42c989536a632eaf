import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { AttributeValue } from '../../../../src/policy/client/attribute-value.js';
import { requireOtlpDecoder } from '../../../counterparts/otlp/otlp-decoder.js';
import { eventually } from '../../../support/eventually.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createAdapterRig } from './adapter-rig.js';

const decoder = requireOtlpDecoder();
const decoderTest = 'value' in decoder ? test : test.skip;

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector of a tenant, whose answers the test sets. */
async function startCollector(t: ExecutionContext) {
  const received: Received[] = [];
  let answer = (response: ServerResponse): void => void response.end('{}');
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    close,
    answers: (next: typeof answer) => {
      answer = next;
    },
    restart: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
  };
}

const RULE = `rule shop/r {actions: [{handler: collector, instances: [entry, span]}]}
  instance shop/entry {compiledTemplate: logentry, params: {severity: '"Warning"', timestamp: request.time, variables: {message: request.path, size: request.size, labels: destination.labels}}}
  instance shop/span {compiledTemplate: tracespan, params: {traceId: 'request.headers["x-b3-traceid"]', spanId: 'request.headers["x-b3-spanid"] | ""', spanName: request.path, startTime: request.time, endTime: response.time, httpStatusCode: response.code, spanTags: {zone: '"a"'}}}`;
const TRACE_ID = '0123456789abcdeffedcba9876543210';

interface OtlpRigOptions {
  readonly protocol?: string;
  /** More parameters. */
  readonly more?: string;
  readonly allowed?: readonly string[];
}

/** A rule that sends log entries and spans of each report, closed when the test ends. */
function openOtlp(
  t: ExecutionContext,
  endpoint: string,
  { protocol = 'http/json', more = '', allowed }: OtlpRigOptions = {},
) {
  const clock = createFakeClock();
  const rig = createAdapterRig(clock, allowed);
  rig.apply(`${RULE}
    handler shop/collector {compiledAdapter: otlp, params: {endpoint: '${endpoint}', protocol: ${protocol}${more}}}`);
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await rig.handler.close();
  };
  t.teardown(async () => {
    if (!isClosed) await Promise.race([close(), eventually('it is closed', () => void clock.advance(1000))]);
  });
  const report = (path: string, more: Readonly<Record<string, AttributeValue>> = {}): void => {
    const time = (value: bigint): AttributeValue => ({ type: 'timestamp', value });
    const map = (...entries: readonly [string, string][]): AttributeValue => ({
      type: 'stringMap',
      value: new Map(entries),
    });
    rig.report({
      'request.path': path,
      'request.time': time(1_000_000_000n),
      'response.time': time(2_000_000_000n),
      'request.size': { type: 'int64', value: 7n },
      'response.code': { type: 'int64', value: 503n },
      'destination.labels': map(['app', 'web']),
      'request.headers': map(['x-b3-traceid', TRACE_ID], ['x-b3-spanid', 'ff']),
      ...more,
    });
  };
  /** Advances the time until a condition holds. */
  const until = <Value>(what: string, look: () => Value | Promise<Value>) =>
    eventually(what, () => {
      clock.advance(100);
      return look();
    });
  const count = async (name: string): Promise<number> => {
    const line = (await rig.ofAdapters()).split('\n').find((each) => each.startsWith(`${name}{`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  return { ...rig, clock, close, report, until, count };
}

const jsonOf = ({ body }: Received) => JSON.parse(body.toString());

test('log entries and spans reach a collector in batches, with headers and resource', async (t) => {
  const collector = await startCollector(t);
  const more = ', headers: {x-team: shop}, resourceAttributes: {deployment.environment.name: prod}';
  const { report, until, series } = openOtlp(t, `${collector.url}/base/`, { more });
  for (const path of ['/a', '/b']) report(path);
  await until('both signals have come', () => collector.received.length === 2);
  t.deepEqual(collector.received.map(({ path }) => path).sort(), ['/base/v1/logs', '/base/v1/traces']);
  const [logs, traces] = [...collector.received].sort((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1));
  t.like(logs?.headers, { 'x-team': 'shop', 'content-type': 'application/json' });
  const [{ resource, scopeLogs }] = jsonOf(logs as Received).resourceLogs;
  t.deepEqual(resource.attributes, [
    { key: 'service.name', value: { stringValue: 'navigator-policy' } },
    { key: 'deployment.environment.name', value: { stringValue: 'prod' } },
  ]);
  const [first, second, ...others] = scopeLogs[0].logRecords;
  t.deepEqual([second.body.stringValue, others], ['/b', []]);
  t.like(first, {
    timeUnixNano: '1000000000',
    severityNumber: 13,
    severityText: 'Warning',
    body: { stringValue: '/a' },
  });
  t.deepEqual(first.attributes, [
    { key: 'size', value: { intValue: '7' } },
    { key: 'labels', value: { kvlistValue: { values: [{ key: 'app', value: { stringValue: 'web' } }] } } },
  ]);
  const [span] = jsonOf(traces as Received).resourceSpans[0].scopeSpans[0].spans;
  t.like(span, {
    ...{ traceId: TRACE_ID, spanId: '00000000000000ff', name: '/a', kind: 2 },
    ...{ startTimeUnixNano: '1000000000', endTimeUnixNano: '2000000000', status: { code: 2 } },
  });
  t.deepEqual(span.attributes, [
    { key: 'http.response.status_code', value: { intValue: '503' } },
    { key: 'zone', value: { stringValue: 'a' } },
  ]);
  t.deepEqual(await series('policy_handler_daemons_total{'), [
    'policy_handler_daemons_total{handler="handler/shop/collector"} 1',
  ]);
});

decoderTest("as protobuf, a request is what OpenTelemetry's own messages read", async (t) => {
  if (!('value' in decoder)) return;
  const collector = await startCollector(t);
  const { report, until } = openOtlp(t, collector.url, { protocol: 'http/protobuf' });
  report('/a');
  await until('both signals have come', () => collector.received.length === 2);
  for (const { path, body, headers } of collector.received) {
    t.is(headers['content-type'], 'application/x-protobuf');
    const signal = path === '/v1/logs' ? 'logs' : 'traces';
    t.regex(JSON.stringify(decoder.value(body, signal)), /"stringValue":"(?:\/a|a)"/);
  }
});

test('records that a collector cannot take now are sent again, and counted when it has them', async (t) => {
  const collector = await startCollector(t);
  const { report, until, count, close } = openOtlp(t, collector.url);
  collector.answers((response) => response.writeHead(503).end());
  report('/a');
  await until('several attempts', () => collector.received.length >= 4);
  collector.close();
  t.is(await count('policy_adapter_reports_sent_total'), 0);
  collector.answers((response) => response.end('{}'));
  await collector.restart();
  await until('they are taken', async () => (await count('policy_adapter_reports_sent_total')) === 2);
  t.is(await count('policy_adapter_reports_lost_total'), 0);
  await close();
});

test('records that a collector refuses are lost, with log and metric', async (t) => {
  const collector = await startCollector(t);
  const { report, until, count, logger, close } = openOtlp(t, collector.url, {
    more: ', headers: {authorization: Bearer s3cret}',
  });
  collector.answers((response) => response.writeHead(401).end());
  report('/a');
  await until('they are lost', async () => (await count('policy_adapter_reports_lost_total')) === 2);
  t.is(collector.received.length, 2, 'refused ones are not sent again');
  const [record] = logger.records;
  t.is(record?.message, 'reports of a handler lost: the collector did not take them');
  t.regex(String(record?.fields['err']), /the collector answered 401/);
  t.false(JSON.stringify(logger.records).includes('s3cret'));

  collector.answers((response) =>
    response.end('{"partialSuccess":{"rejectedLogRecords":"1","rejectedSpans":"0","errorMessage":"too old"}}'),
  );
  report('/b');
  await until('the span is taken', async () => (await count('policy_adapter_reports_sent_total')) === 1);
  await until('the log entry is lost', async () => (await count('policy_adapter_reports_lost_total')) === 3);
  await close();
});

test('a collector that takes nothing costs bounded memory, and what has no room is lost', async (t) => {
  const collector = await startCollector(t);
  const { report, clock, count, close } = openOtlp(t, collector.url);
  collector.answers(() => undefined);
  const path = '/'.padEnd(4_096, 'a');
  for (let n = 0; n < 2_500; n++) {
    report(path);
    if (n % 200 === 199) clock.advance(100);
  }
  await eventually('the rest is lost', async () => (await count('policy_adapter_reports_lost_total')) > 100);
  collector.answers((response) => response.writeHead(400).end());
  collector.close();
  const closed = close();
  await eventually('it is closed', async () => {
    clock.advance(5_000);
    return (await count('policy_adapter_reports_lost_total')) >= 5_000;
  });
  await closed;
  t.is(await count('policy_adapter_reports_lost_total'), 5_000);
  t.is(await count('policy_adapter_reports_sent_total'), 0);
});

test('a span without usable ids is left out, and the log says why', async (t) => {
  const collector = await startCollector(t);
  const { report, until, count, logger } = openOtlp(t, collector.url);
  const headers = (traceId: string): AttributeValue => ({
    type: 'stringMap',
    value: new Map([['x-b3-traceid', traceId]]),
  });
  report('/a', { 'request.headers': headers('not hex') });
  report('/b', { 'request.headers': headers('0'.repeat(32)) });
  report('/c', { 'request.headers': headers('ABC') });
  await until('logs and a span', () => collector.received.length === 2);
  t.is(await count('policy_adapter_reports_lost_total'), 2);
  t.like(logger.records[0], { message: 'span of an instance left out', fields: { instance: 'shop/span' } });
  const spans = collector.received.find(({ path }) => path === '/v1/traces');
  const [span, ...others] = jsonOf(spans as Received).resourceSpans[0].scopeSpans[0].spans;
  t.deepEqual([span.traceId, others], ['abc'.padStart(32, '0'), []]);
  t.regex(span.spanId, /^[0-9a-f]{16}$/);
});

test('a collector at an address that egress rules refuse gets nothing', async (t) => {
  const collector = await startCollector(t);
  const { report, clock, count, close, logger } = openOtlp(t, collector.url, { allowed: [] });
  report('/a');
  clock.advance(2_000);
  const closed = close();
  await eventually('it is closed', async () => {
    clock.advance(1_000);
    return (await count('policy_adapter_reports_lost_total')) === 2;
  });
  await closed;
  t.is(collector.received.length, 0);
  t.true(logger.records.length > 0);
});

test('a closed handler sends its last records', async (t) => {
  const collector = await startCollector(t);
  const { report, close } = openOtlp(t, collector.url);
  report('/a');
  await close();
  t.is(collector.received.length, 2);
});
