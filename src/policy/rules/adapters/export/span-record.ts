import type { OtlpAttribute, OtlpSpan } from '../../../../otlp/otlp-request.js';
import type { Instance } from '../../instance.js';
import { valueText } from '../../value-text.js';
import { otlpAttributes, otlpValue, unixNanos } from './otlp-value.js';

/** Attributes of the fields of a span. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  sourceName: 'source.name',
  sourceIp: 'source.address',
  destinationName: 'destination.name',
  destinationIp: 'destination.address',
  apiProtocol: 'api.protocol',
  httpStatusCode: 'http.response.status_code',
  requestSize: 'http.request.body.size',
  requestTotalSize: 'http.request.size',
  responseSize: 'http.response.body.size',
  responseTotalSize: 'http.response.size',
};
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
const SPAN_BYTES = 8;
const KIND = { server: 2, client: 3 } as const;
const ERROR = 2;
const FIRST_FAILURE = { server: 500, client: 400 } as const;

/**
 * The span of an instance; a text for one that cannot be a span.
 *
 * @param randomId makes an id of that many bytes, in hexadecimal
 */
export function spanRecord({ values, maps }: Instance, randomId: (bytes: number) => string): OtlpSpan | string {
  const text = (field: string): string => valueText(values.get(field));
  const traceId = identifier(text('traceId'), TRACE_DIGITS);
  const spanId = text('spanId') === '' ? randomId(SPAN_BYTES) : identifier(text('spanId'), SPAN_DIGITS);
  const parentSpanId = text('parentSpanId') === '' ? '' : identifier(text('parentSpanId'), SPAN_DIGITS);
  const start = unixNanos(values.get('startTime'));
  const end = unixNanos(values.get('endTime'));
  if (traceId === undefined) return 'traceId is not a number of 1 to 32 hexadecimal digits above 0';
  if (spanId === undefined) return 'spanId is not a number of 1 to 16 hexadecimal digits above 0';
  if (parentSpanId === undefined) return 'parentSpanId is not a number of 1 to 16 hexadecimal digits above 0';
  if (start === undefined || end === undefined) return 'startTime or endTime is missing';
  const clientSpan = values.get('clientSpan');
  const side = clientSpan?.type === 'bool' && clientSpan.value ? 'client' : 'server';
  const own = Object.entries(ATTRIBUTES).flatMap(([field, key]): readonly OtlpAttribute[] => {
    const value = values.get(field);
    return value === undefined || valueText(value) === '' ? [] : [{ key, value: otlpValue(value) }];
  });
  const status = values.get('httpStatusCode');
  const isError = status?.type === 'int64' && status.value >= FIRST_FAILURE[side];
  return {
    traceId,
    spanId,
    ...(parentSpanId !== '' && { parentSpanId }),
    name: text('spanName'),
    kind: KIND[side],
    startTimeUnixNano: start,
    endTimeUnixNano: BigInt(end) < BigInt(start) ? start : end,
    attributes: [...own, ...otlpAttributes(maps.get('spanTags'))],
    events: [],
    status: isError ? { code: ERROR } : {},
  };
}

/** Tracing systems also write ids without their first zeros. */
function identifier(text: string, digits: number): string | undefined {
  const id = text.toLowerCase().padStart(digits, '0');
  return id.length === digits && /^[0-9a-f]+$/.test(id) && /[1-9a-f]/.test(id) ? id : undefined;
}
