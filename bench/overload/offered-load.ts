import { connect } from 'node:net';
import { runOpenLoop } from '../load/open-loop.js';
import { openUnaryConnection, type PreparedCall } from '../load/unary-connection.js';
import { percentile } from '../measure/statistics.js';

/** Results of the calls of one round. */
export interface OfferedResult {
  readonly calls: number;
  /** Decided by the server. */
  readonly decided: number;
  /** Answered by the fail policy because the server had too much to do. */
  readonly shed: number;
  /** Never sent: as many were under way as Envoy lets be. */
  readonly overflowed: number;
  readonly timedOut: number;
  readonly failed: number;
  /** Of calls that got an answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Until the last answer was there. */
  readonly seconds: number;
}

export interface OfferedLoadOptions {
  readonly port: number;
  readonly calls: readonly PreparedCall[];
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly nowMs: () => number;
  readonly until: (dueMs: number) => Promise<void>;
}

/** Envoy's own limits for a cluster and a check: requests under way at once, and how long one may take. */
const MAX_IN_FLIGHT = 1024;
const TIMEOUT_MS = 5000;

/** Offers unary calls at a rate that does not wait for answers, as one Envoy does. */
export async function offerLoad(options: OfferedLoadOptions): Promise<OfferedResult> {
  const { port, calls, nowMs } = options;
  const connections = Array.from({ length: options.connections }, () =>
    openUnaryConnection(connect({ host: '127.0.0.1', port, noDelay: true }), nowMs),
  );
  const counts = { decided: 0, shed: 0, overflowed: 0, timedOut: 0, failed: 0 };
  const latencies: number[] = [];
  const expiry = setInterval(() => {
    for (const connection of connections) connection.expire(nowMs() - TIMEOUT_MS);
  }, 100);
  const send = (index: number): Promise<boolean> => {
    const connection = connections[index % connections.length];
    const call = calls[index % calls.length];
    if (connection === undefined || call === undefined || connection.inFlight >= MAX_IN_FLIGHT / connections.length) {
      counts.overflowed++;
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const startMs = nowMs();
      connection.send(call, (end) => {
        if (end.type === 'timeout') counts.timedOut++;
        else if (end.type === 'failed') counts.failed++;
        else {
          latencies.push(nowMs() - startMs);
          if (end.message.includes('overload')) counts.shed++;
          else counts.decided++;
        }
        resolve(end.type === 'answered');
      });
    });
  };
  const startMs = nowMs();
  const samples = await runOpenLoop({ ...options, send });
  const seconds = (nowMs() - startMs) / 1000;
  clearInterval(expiry);
  for (const connection of connections) connection.close();
  return {
    calls: samples.length,
    ...counts,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    maxMs: percentile(latencies, 100),
    seconds,
  };
}
