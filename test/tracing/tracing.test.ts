import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { tracingSettings } from '../../src/bootstrap/map-options.js';
import { parseOptions } from '../../src/cli/parse-options.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { connectProxy } from '../bootstrap/support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from '../bootstrap/support/manifests.js';
import { startServer } from '../bootstrap/support/running-server.js';
import { eventually } from '../support/eventually.js';

interface KeyValue {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: string; arrayValue?: { values: { stringValue: string }[] } };
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly KeyValue[] }[];
  readonly status: { readonly code?: number; readonly message?: string };
}
interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly resource: readonly KeyValue[];
  readonly spans: readonly Span[];
}

const PROTOBUF = [{ resource: { attributes: [] }, scopeSpans: [{ spans: [] }] }] as const;

/** A collector that reads OTLP/HTTP in JSON, and of protobuf only the headers. @param status of its answers */
async function startCollector(t: ExecutionContext, status = 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isJson = request.headers['content-type'] === 'application/json';
    const [{ resource, scopeSpans }] = isJson ? JSON.parse(body).resourceSpans : PROTOBUF;
    received.push({
      path: request.url,
      headers: request.headers,
      resource: resource.attributes,
      spans: scopeSpans[0].spans,
    });
    response.statusCode = status;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };
const idOf = (name: string) => `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local`;
const textOf = (list: readonly KeyValue[], key: string) => {
  const value = list.find((each) => each.key === key)?.value;
  return (
    value?.stringValue ?? value?.intValue ?? value?.arrayValue?.values.map(({ stringValue }) => stringValue).join()
  );
};

test('a change is one trace: its stages, and the answers of two proxies of which one rejects it', async (t) => {
  const { received, url } = await startCollector(t);
  const server = await startServer(t, {
    files: MESH,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,tenant=shop',
      OTEL_SERVICE_NAME: 'mesh',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=Prod%2C1',
    },
  });
  await connectProxy(t, server, { ...sidecar(), id: idOf('good') });
  const bad = await connectProxy(t, server, { ...sidecar('10.0.0.2'), id: idOf('bad') });
  bad.refuseNext.add(TypeUrl.cluster);
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  const trace = await eventually('the trace of the change arrives', () =>
    received.find(({ spans }) =>
      textOf(spans[0]?.attributes ?? [], 'mesh.changed.objects')?.includes('ServiceEntry/shop/pay'),
    ),
  );
  t.is(trace.path, '/v1/traces');
  t.is(trace.headers['api-key'], 'a b');
  t.is(trace.headers['tenant'], 'shop');
  t.is(textOf(trace.resource, 'service.name'), 'mesh');
  t.is(textOf(trace.resource, 'deployment.environment.name'), 'Prod,1');

  const [root, ...stages] = trace.spans as [Span, ...Span[]];
  t.is(root.name, 'mesh change');
  t.is(root.parentSpanId, undefined);
  for (const span of trace.spans) {
    t.regex(span.traceId, /^[0-9a-f]{32}$/);
    t.regex(span.spanId, /^[0-9a-f]{16}$/);
    t.is(span.traceId, root.traceId);
    t.true(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), span.name);
    t.true(BigInt(span.startTimeUnixNano) >= BigInt(root.startTimeUnixNano) - 1_000_000n, span.name);
  }
  for (const stage of stages) t.is(stage.parentSpanId, root.spanId);
  const names = stages.map(({ name }) => name);
  t.deepEqual(names.slice(0, 2), ['debounce', 'build snapshot']);
  for (const type of ['cds', 'rds']) t.true(names.includes(`generate and send ${type}`), names.join());
  t.deepEqual(names.slice(-2), ['first to last send', 'acknowledge']);

  const count = (name: string) => Number(textOf(root.attributes, `mesh.responses.${name}`));
  t.is(count('rejected'), 1);
  t.is(count('unanswered'), 0);
  t.is(count('acknowledged'), count('sent') - 1);
  t.is(root.events[0]?.name, 'source event');
  t.is(root.status.code, 2);
  t.regex(
    root.status.message ?? '',
    /^1 responses with ServiceEntry\/shop\/pay.* were rejected; sidecar~10\.0\.0\.1~bad\.shop~.*refused by the test$/,
  );
  const answers = stages.at(-1)?.events ?? [];
  t.is(answers.length, count('sent'));
  const rejection = answers.find(({ name }) => name === 'rejected');
  t.is(textOf(rejection?.attributes ?? [], 'mesh.proxy'), idOf('bad'));
  t.is(textOf(rejection?.attributes ?? [], 'mesh.type'), 'cds');
  t.true(
    answers.some(
      ({ name, attributes }) => name === 'acknowledged' && textOf(attributes, 'mesh.proxy') === idOf('good'),
    ),
  );
  await eventually('the metric counts it', async () =>
    /^nav_trace_exports\{result="sent"\} [1-9]/m.test((await server.monitoring.get('/metrics')).body),
  );
});

test('a collector that refuses traces is told of, and pushes go on', async (t) => {
  const { received, url } = await startCollector(t, 503);
  const server = await startServer(t, {
    files: MESH,
    variables: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own`, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  });
  const proxy = await connectProxy(t, server, sidecar());
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually('the proxy has the cluster', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'),
  );
  const [line] = await eventually('the refusal is logged', () => {
    const lines = server.logged('trace not exported');
    return lines.length > 0 && lines;
  });
  t.is(line?.['reason'], 'the collector answered 503');
  t.is(line?.['setting'], 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  t.is(received[0]?.path, '/own');
  t.is(received[0]?.headers['content-type'], 'application/x-protobuf');
  await eventually('the metric counts it', async () =>
    /^nav_trace_exports\{result="failed"\} [1-9]/m.test((await server.monitoring.get('/metrics')).body),
  );
});

/** What variables make of the settings of traces. */
const settingsOf = (variables: Readonly<Record<string, string>>) =>
  tracingSettings(parseOptions(new Map(), variables), '1.0.0');

test('each variable of OpenTelemetry that is supported changes the traces', (t) => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
  t.like(settingsOf(base), {
    ...{ url: 'http://collector:4318/v1/traces', protocol: 'http/protobuf', timeoutMs: 10_000 },
    resource: { 'service.name': 'navigator-discovery', 'service.version': '1.0.0' },
  });
  t.is(settingsOf({}).url, '');
  t.is(settingsOf({ ...base, OTEL_SDK_DISABLED: 'true' }).url, '');
  t.is(settingsOf({ ...base, OTEL_SDK_DISABLED: 'false' }).url, 'http://collector:4318/v1/traces');
  t.is(settingsOf({ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/' }).url, 'http://other/');
  t.is(settingsOf({ OTEL_EXPORTER_OTLP_TIMEOUT: '500' }).timeoutMs, 500);
  t.is(settingsOf({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop' }).resource['service.name'], 'shop');
  t.is(settingsOf({ POD_NAME: 'meshd-0' }).resource['service.instance.id'], 'meshd-0');
});

test('the protocol grpc, and malformed attributes, end the start with the allowed values', (t) => {
  t.throws(() => settingsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), {
    message: /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json, .* not "grpc"/,
  });
  for (const text of ['shop', '=shop', 'shop=%']) {
    t.throws(() => settingsOf({ OTEL_RESOURCE_ATTRIBUTES: text }), { message: /key=value pairs/ });
  }
});

test('variables of OpenTelemetry that have no effect are told of if traces are made', (t) => {
  const told = (variables: Readonly<Record<string, string>>) =>
    parseOptions(new Map(), variables).warnings.map(({ setting, problem }) => `${setting}: ${problem}`);
  const unknown = { OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '5' };
  t.deepEqual(told(unknown), []);
  t.deepEqual(told({ ...unknown, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }), [
    'OTEL_TRACES_SAMPLER: traces of changes do not follow it, so it has no effect (docs/tracing.md lists the variables)',
    'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: traces of changes do not follow it, so it has no effect (docs/tracing.md lists the variables)',
  ]);
});
