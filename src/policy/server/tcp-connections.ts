import type { TcpByteCounts, TcpReportEvent } from '../client/tcp-attributes.js';
import type { TcpLogMoment } from './adapter/tcp-log-facts.js';

/** The state of a connection in an access log entry. */
export interface TcpLogEvent {
  readonly id: string;
  readonly moment: TcpLogMoment;
  readonly total: TcpByteCounts;
  readonly durationNs: bigint;
  /** The outcome of the Check, when the entry has it. */
  readonly check: 'allowed' | 'refused' | 'unknown';
  /** Whether the connection is older than the log of its proxy here: another server has reported it until then. */
  readonly isOlderThanLog: boolean;
}

/** One report of a connection. */
export interface TcpConnectionReport {
  readonly event: TcpReportEvent;
  readonly total: TcpByteCounts;
  readonly lastReported: TcpByteCounts;
}

/** Open connections with their last reports. */
export interface TcpConnections {
  /** The reports that are due, in order. */
  take(entry: TcpLogEvent): readonly TcpConnectionReport[];
  readonly size: number;
}

const MAX_CONNECTIONS = 100_000;
const NOTHING: TcpByteCounts = { received: 0n, sent: 0n };

interface Connection {
  isReported: boolean;
  lastReported: TcpByteCounts;
}

/**
 * Turns access log entries into the reports of docs/reference/policy-client.md#tcp-attributes: `open` after the
 * connection was allowed, `continue` with the traffic since then, `close`; no report for a denied connection.
 *
 * Envoy connects to the workload before the first data, and checks at the first data, so that its first entry does not
 * know the outcome. `open` therefore waits for the first entry with an outcome or with data: data means that the
 * connection is allowed or not checked.
 *
 * @param maxConnections the connections without news for longest are dropped above it; 100,000 unless given
 */
export function createTcpConnections(maxConnections = MAX_CONNECTIONS): TcpConnections {
  const connections = new Map<string, Connection>();

  const keep = (id: string, connection: Connection): void => {
    connections.delete(id);
    connections.set(id, connection);
    if (connections.size <= maxConnections) return;
    const [oldest] = connections.keys();
    if (oldest !== undefined) connections.delete(oldest);
  };

  /** A connection that another server reported: its traffic until now is reported, approximately. */
  const meet = (entry: TcpLogEvent): Connection =>
    entry.isOlderThanLog && entry.moment !== 'connected'
      ? { isReported: true, lastReported: entry.total }
      : { isReported: false, lastReported: NOTHING };

  return {
    take(entry) {
      const { id, moment, total, durationNs } = entry;
      const connection = connections.get(id) ?? meet(entry);
      const reports: TcpConnectionReport[] = [];
      const report = (event: TcpReportEvent, reported: TcpByteCounts): void => {
        reports.push({ event, total: reported, lastReported: connection.lastReported });
        connection.lastReported = reported;
      };
      const isOver = moment === 'end';
      const isDecided = entry.check === 'allowed' || total.received > 0n || total.sent > 0n || isOver;
      if (!connection.isReported && isDecided && entry.check !== 'refused') {
        connection.isReported = true;
        report({ type: 'open' }, NOTHING);
      }
      if (connection.isReported && moment === 'periodic') report({ type: 'continue' }, total);
      if (connection.isReported && isOver) report({ type: 'close', durationNs }, total);
      if (isOver) connections.delete(id);
      else keep(id, connection);
      return reports;
    },
    get size() {
      return connections.size;
    },
  };
}
