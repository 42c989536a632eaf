import type { TcpByteCounts, TcpReportEvent } from '../client/tcp-attributes.js';
import type { TcpLogMoment } from './adapter/tcp-log-facts.js';

/** What an access log entry says of the life of its connection. */
export interface TcpLogEvent {
  readonly id: string;
  readonly moment: TcpLogMoment;
  readonly total: TcpByteCounts;
  readonly durationNs: bigint;
  /** Whether the Check has let it pass, or has refused it, as far as the entry tells. */
  readonly check: 'allowed' | 'refused' | 'unknown';
  /** Whether the connection was opened before this server heard of its proxy: others have reported it until then. */
  readonly isOlderThanLog: boolean;
}

/** One report of a connection. */
export interface TcpConnectionReport {
  readonly event: TcpReportEvent;
  readonly total: TcpByteCounts;
  readonly lastReported: TcpByteCounts;
}

/** Open connections, by what was reported of them last. */
export interface TcpConnections {
  /** What is to be reported now, in order. */
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
 * Turns entries of the access log into the reports of docs/reference/policy-client.md#tcp-attributes: `open` once the
 * connection was allowed, `continue` with what it carried since, `close`; none for a denied connection.
 *
 * Envoy connects to the workload before the first data comes, which is when it asks: its first entry does not know the
 * outcome. So `open` waits for the first entry that does, or that has carried data, for then there is nothing to ask or
 * it was allowed.
 *
 * @param maxConnections those not heard of for longest are forgotten beyond it; 100,000 unless given
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

  /** One that others reported: what it carried until now was reported, or nearly so. */
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
