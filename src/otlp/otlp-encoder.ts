import { createOtlpMessages } from './otlp-messages.js';
import type { OtlpRequest, OtlpSpan } from './otlp-request.js';

/** How a request is encoded over HTTP, as OTEL_EXPORTER_OTLP_PROTOCOL names it. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** The body of an HTTP request. */
export interface OtlpBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** Makes the function that encodes requests for a collector. */
export function createOtlpEncoder(protocol: OtlpProtocol): (request: OtlpRequest) => OtlpBody {
  if (protocol === 'http/json') {
    return (request) => ({ contentType: 'application/json', body: JSON.stringify(request) });
  }
  const type = createOtlpMessages()('Request');
  return (request) => ({
    contentType: 'application/x-protobuf',
    body: type.encode(type.fromObject(withBinaryIds(request))).finish(),
  });
}

function withBinaryIds({ resourceSpans }: OtlpRequest): object {
  return {
    resourceSpans: resourceSpans.map(({ resource, scopeSpans }) => ({
      resource,
      scopeSpans: scopeSpans.map(({ scope, spans }) => ({ scope, spans: spans.map(spanWithBinaryIds) })),
    })),
  };
}

/** The form that protobufjs encodes. */
export function spanWithBinaryIds({ traceId, spanId, parentSpanId = '', ...rest }: OtlpSpan): object {
  const bytesOf = (id: string): Buffer => Buffer.from(id, 'hex');
  return {
    ...rest,
    traceId: bytesOf(traceId),
    spanId: bytesOf(spanId),
    ...(parentSpanId === '' ? {} : { parentSpanId: bytesOf(parentSpanId) }),
  };
}
