import anyTest from 'ava';
import { createOtlpEncoder } from '../../src/otlp/otlp-encoder.js';
import type { OtlpAttribute, OtlpRequest } from '../../src/otlp/otlp-request.js';
import { requireOtlpDecoder } from '../counterparts/otlp/otlp-decoder.js';

const decoder = requireOtlpDecoder();
const test = 'value' in decoder ? anyTest : anyTest.skip;

const ATTRIBUTES: readonly OtlpAttribute[] = [
  { key: 'text', value: { stringValue: 'Käse' } },
  { key: 'empty', value: { stringValue: '' } },
  { key: 'false', value: { boolValue: false } },
  { key: 'large', value: { intValue: '-9007199254740993' } },
  { key: 'zero', value: { intValue: '0' } },
  { key: 'part', value: { doubleValue: 0.25 } },
  { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
];
const TRACE_ID = '0123456789abcdeffedcba9876543210';
const REQUEST: OtlpRequest = {
  resourceSpans: [
    {
      resource: { attributes: ATTRIBUTES },
      scopeSpans: [
        {
          scope: { name: 'scope', version: '1' },
          spans: [
            {
              ...{ traceId: TRACE_ID, spanId: '00000000000000ff', parentSpanId: 'ff00000000000001', kind: 1 },
              ...{ name: 'child', startTimeUnixNano: '1795427316123456789', endTimeUnixNano: '18446744073709551615' },
              attributes: ATTRIBUTES,
              events: [{ name: 'event', timeUnixNano: '1', attributes: ATTRIBUTES }],
              status: { code: 2, message: 'rejected' },
            },
            {
              ...{ traceId: TRACE_ID, spanId: 'ff00000000000001', kind: 1, name: 'root' },
              ...{ startTimeUnixNano: '1', endTimeUnixNano: '2', attributes: [], events: [], status: {} },
            },
          ],
        },
      ],
    },
  ],
};

/** The same as Python's JSON form of messages writes it: ids in base64, enums by name, no empty lists. */
function asPython(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPython);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (Array.isArray(each) && each.length === 0) return [];
    if (key.endsWith('Id')) return [[key, Buffer.from(String(each), 'hex').toString('base64')]];
    if (key === 'kind') return [[key, 'SPAN_KIND_INTERNAL']];
    if (key === 'code') return [[key, 'STATUS_CODE_ERROR']];
    return [[key, asPython(each)]];
  });
  return Object.fromEntries(entries);
}

test("http/protobuf is what OpenTelemetry's own messages read, with every kind of value", (t) => {
  if (!('value' in decoder)) return;
  const { contentType, body } = createOtlpEncoder('http/protobuf')(REQUEST);
  t.is(contentType, 'application/x-protobuf');
  t.deepEqual(decoder.value(body as Uint8Array), asPython(REQUEST));
});
