import type { DecisionFacts } from '../../client/http-report-attributes.js';
import type { TcpByteCounts, TcpConnectionFacts, TcpReportEvent, TcpReportFacts } from '../../client/tcp-attributes.js';
import type { WireTcpLogEntry } from './envoy-messages.js';
import { destinationOf, type LogSide } from './http-log-facts.js';
import { logConnectionFacts, peerIpOf } from './log-connection.js';
import { proxyErrorCode } from './response-flags.js';
import { wireInt64, wireNanoseconds } from './wire-values.js';

/** The point in the life of a connection at which Envoy wrote an entry. */
export type TcpLogMoment = 'connected' | 'periodic' | 'end';

/** By the number of envoy.data.accesslog.v3.AccessLogType. */
const MOMENTS: ReadonlyMap<number, TcpLogMoment> = new Map([
  // By default, Envoy writes one entry at the end, without a type.
  [0, 'end'],
  [1, 'connected'],
  [2, 'periodic'],
  [3, 'end'],
]);

/** Undefined for entries that are not about a TCP connection. */
export function tcpLogMoment({ commonProperties }: WireTcpLogEntry): TcpLogMoment | undefined {
  return MOMENTS.get(commonProperties?.accessLogType ?? 0);
}

/** The connection of an access log entry, as its Check knew it. */
export function tcpLogConnectionFacts({ commonProperties }: WireTcpLogEntry): TcpConnectionFacts {
  const common = commonProperties ?? {};
  const sourceIp = peerIpOf(common);
  return {
    id: common.streamId ?? '',
    timeNs: wireNanoseconds(common.startTime) ?? 0n,
    connection: logConnectionFacts(common),
    ...(sourceIp && { sourceIp }),
  };
}

/** Bytes since the connection was opened. */
export function tcpLogTotal({ connectionProperties }: WireTcpLogEntry): TcpByteCounts {
  return {
    received: wireInt64(connectionProperties?.receivedBytes),
    sent: wireInt64(connectionProperties?.sentBytes),
  };
}

/** The duration of the connection; only in an entry at its end. */
export function tcpLogDurationNs({ commonProperties }: WireTcpLogEntry): bigint {
  return wireNanoseconds(commonProperties?.duration) ?? 0n;
}

/** The facts for the report of a connection at one of its events (docs/reference/policy-client.md#tcp-attributes). */
export function tcpLogReportFacts(
  entry: WireTcpLogEntry,
  side: LogSide,
  report: { readonly event: TcpReportEvent; readonly total: TcpByteCounts; readonly lastReported: TcpByteCounts },
  decision: DecisionFacts,
): TcpReportFacts {
  const common = entry.commonProperties ?? {};
  const proxyError = proxyErrorCode(common.responseFlags);
  const { checkErrorCode, checkErrorMessage } = decision;
  return {
    ...report,
    ...destinationOf(common, side),
    ...(proxyError !== undefined && { proxyErrorCode: proxyError }),
    ...(checkErrorCode !== undefined && { checkErrorCode }),
    ...(checkErrorMessage !== undefined && { checkErrorMessage }),
  };
}
