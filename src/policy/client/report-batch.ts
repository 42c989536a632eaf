import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from './attribute-bag.js';
import type { ClientCounter, ClientStatistics } from './client-statistics.js';
import type { PolicyTransport, TransportFailure } from './policy-transport.js';
import { CALL_TIMEOUT_MS, callTransport, createCallDeadlines } from './transport-call.js';

export const DEFAULT_REPORT_BATCH_MAX_ENTRIES = 100;
export const DEFAULT_REPORT_BATCH_MAX_TIME_MS = 1000;

/** Collects reports and sends them together (docs/reference/policy-client.md#report-batches). */
export interface ReportBatch {
  /** Reports after `close` are dropped. */
  add(bag: AttributeBag): void;
  /** Sends the collected reports without waiting for the server. */
  flush(): void;
  /** Sends the collected reports, and settles when all calls have ended. Never rejects. */
  close(): Promise<void>;
}

export interface ReportBatchOptions {
  readonly transport: Pick<PolicyTransport, 'report'>;
  readonly clock: Clock;
  readonly statistics: ClientStatistics;
  /** Reports per call; 1 sends each by itself. */
  readonly maxEntries: number;
  /** How long the first report of a batch waits at most. */
  readonly maxTimeMs: number;
}

const FAILURE_COUNTERS: Readonly<Record<TransportFailure, ClientCounter>> = {
  timeout: 'total_remote_report_timeouts',
  send: 'total_remote_report_send_errors',
  other: 'total_remote_report_other_errors',
};

/** A lost report is counted and not sent again: only Check calls, for which requests wait, are retried. */
export function createReportBatch(options: ReportBatchOptions): ReportBatch {
  const { transport, clock, statistics, maxEntries, maxTimeMs } = options;
  const calls = new Set<Promise<void>>();
  const deadlines = createCallDeadlines(clock, CALL_TIMEOUT_MS);
  let waiting: AttributeBag[] = [];
  let stopTimer = (): void => {};
  let isClosed = false;

  const send = async (attributes: readonly AttributeBag[]): Promise<void> => {
    statistics.increment('total_remote_report_calls');
    const outcome = await callTransport((call) => transport.report({ attributes }, call), deadlines);
    if (outcome.type === 'answered') statistics.increment('total_remote_report_successes');
    if (outcome.type === 'failed') statistics.increment(FAILURE_COUNTERS[outcome.error.failure]);
  };
  const flush = (): void => {
    stopTimer();
    if (waiting.length === 0) return;
    const call = send(waiting).finally(() => calls.delete(call));
    calls.add(call);
    waiting = [];
  };

  const flushLater = (): void => {
    try {
      stopTimer = clock.schedule(maxTimeMs, flush);
    } catch {
      // Without a timer, the batch could wait without end.
      flush();
    }
  };

  return {
    add(bag) {
      if (isClosed) return;
      statistics.increment('total_report_calls');
      waiting.push(bag);
      if (waiting.length >= maxEntries) flush();
      else if (waiting.length === 1) flushLater();
    },
    flush,
    async close() {
      isClosed = true;
      flush();
      await Promise.all(calls);
    },
  };
}
