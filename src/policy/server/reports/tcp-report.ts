import { rpcCodeNumber } from '../../../base/rpc-code.js';
import { type AttributeBag, createAttributeBag } from '../../client/attribute-bag.js';
import { deriveTcpAttributes, deriveTcpReportAttributes } from '../../client/tcp-attributes.js';
import type { WireTcpLogEntry } from '../adapter/envoy-messages.js';
import type { LogOrigin } from '../adapter/log-origin.js';
import { isRefused } from '../adapter/response-flags.js';
import {
  type TcpLogMoment,
  tcpLogConnectionFacts,
  tcpLogDurationNs,
  tcpLogReportFacts,
  tcpLogTotal,
} from '../adapter/tcp-log-facts.js';
import type { TcpConnections, TcpLogEvent } from '../tcp-connections.js';
import type { LogContext } from './log-context.js';

/** The log of a proxy. */
export interface TcpLog {
  readonly origin: LogOrigin;
  /** When it was begun, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly sinceNs: bigint;
}

/** Envoy opens a log some time after its first connection, when it has entries to send. */
const LOG_DELAY_NS = 15_000_000_000n;

/** The attributes of the reports of a connection that are due: none, one event, or two. */
export function tcpReportAttributes(
  entry: WireTcpLogEntry,
  moment: TcpLogMoment,
  { origin, sinceNs }: TcpLog,
  context: LogContext,
  connections: TcpConnections,
): readonly AttributeBag[] {
  const facts = tcpLogConnectionFacts(entry);
  const reports = connections.take({
    id: facts.id,
    moment,
    total: tcpLogTotal(entry),
    durationNs: tcpLogDurationNs(entry),
    check: checkOf(entry, context),
    isOlderThanLog: facts.timeNs < sinceNs - LOG_DELAY_NS,
  });
  if (reports.length === 0) return [];
  const bag = createAttributeBag({
    staticFilter: context.staticLayer,
    staticRoute: context.service.staticLayer,
    requestDerived: deriveTcpAttributes(facts),
    ignoreForwarded: true,
    isGateway: origin.isGateway,
  });
  return reports.map((report) => {
    const { decision } = context;
    return bag.overlaid(deriveTcpReportAttributes(tcpLogReportFacts(entry, origin.side, report, decision), bag));
  });
}

function checkOf({ commonProperties }: WireTcpLogEntry, { isChecked, decision }: LogContext): TcpLogEvent['check'] {
  if (isRefused(commonProperties?.responseFlags)) return 'refused';
  if (!isChecked) return 'unknown';
  return decision.checkErrorCode === rpcCodeNumber('OK') ? 'allowed' : 'refused';
}
