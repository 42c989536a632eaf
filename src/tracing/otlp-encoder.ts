import protobuf from 'protobufjs';
import type { OtlpRequest, OtlpSpan } from './otlp-request.js';

/** How a request is encoded over HTTP, as OTEL_EXPORTER_OTLP_PROTOCOL names it. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** The body of an HTTP request. */
export interface OtlpBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

type Fields = Readonly<Record<string, readonly [id: number, type: string]>>;

const list = (type: string): string => `repeated ${type}`;

/** The fields of opentelemetry-proto 1.x that requests have, by message. */
const MESSAGES: Readonly<Record<string, Fields>> = {
  Request: { resourceSpans: [1, list('ResourceSpans')] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, list('ScopeSpans')] },
  Resource: { attributes: [1, list('KeyValue')] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, list('Span')] },
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  Span: {
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    parentSpanId: [4, 'bytes'],
    name: [5, 'string'],
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, list('KeyValue')],
    events: [11, list('Event')],
    status: [15, 'Status'],
  },
  Event: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, list('KeyValue')] },
  Status: { message: [2, 'string'], code: [3, 'int32'] },
  KeyValue: { key: [1, 'string'], value: [2, 'Value'] },
  Value: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
  },
  ArrayValue: { values: [1, list('Value')] },
};

/** Makes the function that encodes requests for a collector. */
export function createOtlpEncoder(protocol: OtlpProtocol): (request: OtlpRequest) => OtlpBody {
  if (protocol === 'http/json') {
    return (request) => ({ contentType: 'application/json', body: JSON.stringify(request) });
  }
  const messages = Object.entries(MESSAGES).map(([name, fields]) => [name, { fields: fieldsOf(fields) }]);
  const type = protobuf.Root.fromJSON({ nested: Object.fromEntries(messages) }).lookupType('Request');
  return (request) => ({
    contentType: 'application/x-protobuf',
    body: type.encode(type.fromObject(withBinaryIds(request))).finish(),
  });
}

function fieldsOf(fields: Fields): Record<string, protobuf.IField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, [id, written]]) => {
      const type = written.replace(/^repeated /, '');
      return [name, type === written ? { id, type } : { id, type, rule: 'repeated' }];
    }),
  );
}

function withBinaryIds({ resourceSpans }: OtlpRequest): object {
  const bytesOf = (id: string): Buffer => Buffer.from(id, 'hex');
  const span = ({ traceId, spanId, parentSpanId = '', ...rest }: OtlpSpan): object => ({
    ...rest,
    traceId: bytesOf(traceId),
    spanId: bytesOf(spanId),
    ...(parentSpanId === '' ? {} : { parentSpanId: bytesOf(parentSpanId) }),
  });
  return {
    resourceSpans: resourceSpans.map(({ resource, scopeSpans }) => ({
      resource,
      scopeSpans: scopeSpans.map(({ scope, spans }) => ({ scope, spans: spans.map(span) })),
    })),
  };
}
