import type { AttributeBag } from '../../client/attribute-bag.js';

/** The counted parts of a report: labels from bounded sets, and amounts. */
export type ReportSeries = HttpSeries | TcpSeries;

interface Labels {
  readonly reporter: string;
  readonly service: string;
}

export interface HttpSeries extends Labels {
  readonly type: 'http';
  readonly operation: string;
  /** `0` when the caller disconnected before a response. */
  readonly responseCode: string;
  readonly durationMs: number | undefined;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

export interface TcpSeries extends Labels {
  readonly type: 'tcp';
  readonly event: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** The label of unknown values. */
export const UNKNOWN = 'unknown';

const REPORTERS: ReadonlySet<string> = new Set(['inbound', 'outbound']);
const EVENTS: ReadonlySet<string> = new Set(['open', 'continue', 'close']);
const MAX_RESPONSE_CODE = 999;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** @param labels of the service and operation, bounded already */
export function reportSeries(
  bag: AttributeBag,
  labels: { readonly service: string; readonly operation: string },
): ReportSeries {
  const { service, operation } = labels;
  const reporter = oneOf(REPORTERS, stringAttributeOf(bag, 'context.reporter.kind'));
  if (stringAttributeOf(bag, 'context.protocol') === 'tcp') {
    return {
      type: 'tcp',
      reporter,
      service,
      event: oneOf(EVENTS, stringAttributeOf(bag, 'connection.event')),
      receivedBytes: amountOf(bag, 'connection.received.bytes'),
      sentBytes: amountOf(bag, 'connection.sent.bytes'),
    };
  }
  const duration = bag.get('response.duration');
  return {
    type: 'http',
    reporter,
    service,
    operation,
    responseCode: responseCodeOf(bag),
    durationMs: duration?.type === 'duration' ? Number(duration.value) / NANOSECONDS_PER_MILLISECOND : undefined,
    requestBytes: amountOf(bag, 'request.size'),
    responseBytes: amountOf(bag, 'response.size'),
  };
}

/** The text of an attribute; undefined for a missing attribute or another type. */
export function stringAttributeOf(bag: AttributeBag, name: string): string | undefined {
  const attribute = bag.get(name);
  return attribute?.type === 'string' ? attribute.value : undefined;
}

function oneOf(known: ReadonlySet<string>, text: string | undefined): string {
  return text !== undefined && known.has(text) ? text : UNKNOWN;
}

function responseCodeOf(bag: AttributeBag): string {
  const code = bag.get('response.code');
  const isCode = code?.type === 'int64' && code.value >= 0n && code.value <= MAX_RESPONSE_CODE;
  return isCode ? String(code.value) : UNKNOWN;
}

/** 0 for negative amounts, because counters only rise. */
function amountOf(bag: AttributeBag, name: string): number {
  const amount = bag.get(name);
  return amount?.type === 'int64' && amount.value > 0n ? Number(amount.value) : 0;
}
