import { type AttributeBag, type AttributeLayer, EMPTY_LAYER } from './attribute-bag.js';
import { optionalBytes, optionalString, stringAttribute, timestampAttribute } from './attribute-value.js';
import { CONNECTION_READERS, type ConnectionFacts } from './connection-attributes.js';
import { type AttributeReader, DerivedLayer } from './derived-layer.js';
import { LayerBuilder } from './layer-builder.js';

/** A TCP connection as a proxy sees it. */
export interface TcpConnectionFacts {
  /** `<uuid>-<n>`: the proxy's own identifier and the number of the connection. */
  readonly id: string;
  /** Address that the connection came from, in network byte order: 4 bytes or 16. */
  readonly sourceIp?: Uint8Array;
  /** When it was opened, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
  readonly connection: ConnectionFacts;
}

/** Bytes since the connection was opened. */
export interface TcpByteCounts {
  readonly received: bigint;
  readonly sent: bigint;
}

/** `open` after it was allowed, `continue` each report interval, `close` at the end; never for a denied connection. */
export type TcpReportEvent =
  | { readonly type: 'open' }
  | { readonly type: 'continue' }
  | { readonly type: 'close'; readonly durationNs: bigint };

/** The facts of a connection at one of its events. */
export interface TcpReportFacts {
  readonly event: TcpReportEvent;
  readonly total: TcpByteCounts;
  /** The total of the previous report; missing before `open`. */
  readonly lastReported?: TcpByteCounts;
  /** Address and port of the workload that serves it, as for HTTP. */
  readonly destinationIp?: Uint8Array;
  readonly destinationPort?: number;
  readonly destinationUid?: string;
  readonly proxyErrorCode?: string;
  readonly checkErrorCode?: number;
  readonly checkErrorMessage?: string;
}

const TCP_PROTOCOL = stringAttribute('tcp');

const TCP_READERS = new Map<string, AttributeReader<TcpConnectionFacts>>([
  ['source.ip', ({ sourceIp }) => optionalBytes(sourceIp)],
  ['connection.id', ({ id }) => optionalString(id)],
  ['context.time', ({ timeNs }) => timestampAttribute(timeNs)],
  ['context.protocol', () => TCP_PROTOCOL],
  ...CONNECTION_READERS,
]);

/**
 * The attributes that a connection brings to its Check, Quota and Reports
 * (docs/reference/policy-client.md#tcp-attributes).
 */
export function deriveTcpAttributes(facts: TcpConnectionFacts): AttributeLayer {
  return new DerivedLayer(facts, TCP_READERS, EMPTY_LAYER);
}

/**
 * The attributes that a TCP Report adds: bytes since the previous report and since the start, and the duration of a
 * closed connection.
 *
 * @param bag of the connection; its destination address stays when it has one
 */
export function deriveTcpReportAttributes(facts: TcpReportFacts, bag: AttributeBag): AttributeLayer {
  const { event, total, lastReported = { received: 0n, sent: 0n } } = facts;
  return new LayerBuilder()
    .bytes('destination.ip', bag.get('destination.ip') === undefined ? facts.destinationIp : undefined)
    .int64('destination.port', bag.get('destination.port') === undefined ? facts.destinationPort : undefined)
    .string('destination.uid', facts.destinationUid)
    .int64('connection.received.bytes', total.received - lastReported.received)
    .int64('connection.sent.bytes', total.sent - lastReported.sent)
    .int64('connection.received.bytes_total', total.received)
    .int64('connection.sent.bytes_total', total.sent)
    .duration('connection.duration', event.type === 'close' ? event.durationNs : undefined)
    .string('connection.event', event.type)
    .string('context.proxy_error_code', facts.proxyErrorCode)
    .int64('check.error_code', facts.checkErrorCode)
    .string('check.error_message', facts.checkErrorMessage)
    .build();
}
