import anyTest from 'ava';
import type { OtlpLogRecord } from '../../src/otlp/otlp-records.js';
import type { OtlpSpan } from '../../src/otlp/otlp-request.js';
import { createRecordEncoder } from '../../src/otlp/record-encoder.js';
import { requireOtlpDecoder } from '../counterparts/otlp/otlp-decoder.js';

const decoder = requireOtlpDecoder();
const test = anyTest;
const decoderTest = 'value' in decoder ? anyTest : anyTest.skip;

const ORIGIN = {
  resource: [{ key: 'service.name', value: { stringValue: 'Käse' } }],
  scope: { name: 'scope', version: '1' },
};
const LOG: OtlpLogRecord = {
  timeUnixNano: '1795427316123456789',
  observedTimeUnixNano: '18446744073709551615',
  severityNumber: 17,
  severityText: 'ERROR',
  body: { stringValue: 'body' },
  attributes: [
    { key: 'map', value: { kvlistValue: { values: [{ key: 'a', value: { stringValue: 'b' } }] } } },
    { key: 'large', value: { intValue: '-9007199254740993' } },
    { key: 'text', value: { stringValue: 'x'.repeat(300) } },
  ],
};
const SPAN: OtlpSpan = {
  ...{ traceId: '0123456789abcdeffedcba9876543210', spanId: '00000000000000ff', parentSpanId: 'ff00000000000001' },
  ...{ name: 'GET /', kind: 3, startTimeUnixNano: '1', endTimeUnixNano: '2', attributes: [], events: [] },
  status: { code: 2 },
};
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

decoderTest("records that are encoded one by one are requests that OpenTelemetry's own messages read", (t) => {
  if (!('value' in decoder)) return;
  const encoder = createRecordEncoder('http/protobuf', ORIGIN);
  const logs = [LOG, { ...LOG, severityText: '' }].map((record) => encoder.encode({ signal: 'logs', record }));
  const { contentType, body } = encoder.join('logs', logs);
  t.is(contentType, 'application/x-protobuf');
  const read = { ...LOG, severityNumber: 'SEVERITY_NUMBER_ERROR' };
  const { severityText: _, ...withoutText } = read;
  const resource = { attributes: ORIGIN.resource };
  t.deepEqual(decoder.value(Buffer.from(body), 'logs'), {
    resourceLogs: [{ resource, scopeLogs: [{ scope: ORIGIN.scope, logRecords: [read, withoutText] }] }],
  });
  const spans = Array.from({ length: 1000 }, () => encoder.encode({ signal: 'traces', record: SPAN }));
  const decoded = decoder.value(Buffer.from(encoder.join('traces', spans).body), 'traces') as {
    resourceSpans: { scopeSpans: { spans: unknown[] }[] }[];
  };
  const found = decoded.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  t.is(found.length, 1000);
  t.deepEqual(found[999], {
    ...{ traceId: base64(SPAN.traceId), spanId: base64(SPAN.spanId), parentSpanId: base64(SPAN.parentSpanId ?? '') },
    ...{ name: SPAN.name, kind: 'SPAN_KIND_CLIENT', startTimeUnixNano: '1', endTimeUnixNano: '2' },
    status: { code: 'STATUS_CODE_ERROR' },
  });
});

test('records as JSON are the same request', (t) => {
  const encoder = createRecordEncoder('http/json', ORIGIN);
  for (const count of [0, 1, 3]) {
    const records = Array.from({ length: count }, () => encoder.encode({ signal: 'logs', record: LOG }));
    const { contentType, body } = encoder.join('logs', records);
    t.is(contentType, 'application/json');
    t.deepEqual(JSON.parse(Buffer.from(body).toString()), {
      resourceLogs: [
        {
          resource: { attributes: ORIGIN.resource },
          scopeLogs: [{ scope: ORIGIN.scope, logRecords: Array.from({ length: count }, () => LOG) }],
        },
      ],
    });
  }
});

test('what a collector rejected is read from its answer, and other answers tell of nothing', (t) => {
  const json = createRecordEncoder('http/json', ORIGIN);
  const answer = { partialSuccess: { rejectedLogRecords: '3', errorMessage: 'too old' } };
  t.deepEqual(json.readRejected('logs', Buffer.from(JSON.stringify(answer))), { count: 3, message: 'too old' });
  t.deepEqual(json.readRejected('traces', Buffer.from(JSON.stringify(answer))), { count: 0, message: 'too old' });
  const protobuf = createRecordEncoder('http/protobuf', ORIGIN);
  const partial = Buffer.from([0x08, 3, 0x12, 7, ...Buffer.from('too old')]);
  t.deepEqual(protobuf.readRejected('logs', Buffer.from([0x0a, partial.length, ...partial])), {
    count: 3,
    message: 'too old',
  });
  for (const body of ['', '{}', '{', '{"partialSuccess":7}', '\x0a\xff', '{"partialSuccess":{"rejectedSpans":-1}}']) {
    for (const encoder of [json, protobuf]) {
      t.deepEqual(encoder.readRejected('traces', Buffer.from(body, 'latin1')), { count: 0, message: '' }, body);
    }
  }
});
