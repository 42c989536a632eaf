import type { Clock } from '../../base/clock.js';
import { guardedErrors } from './guarded-dependencies.js';
import type { TcpByteCounts, TcpReportEvent, TcpReportFacts } from './tcp-attributes.js';
import { clientDurationMs } from './transport-config.js';

const DEFAULT_TCP_REPORT_INTERVAL_MS = 10_000;
const MIN_TCP_REPORT_INTERVAL_MS = 1000;

const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/**
 * `reportInterval` of docs/reference/policy-client.md#tcpclientconfig: 10 s unless given, and 1 s when it is below, 0
 * too (docs/reference/errors.md#failures).
 *
 * @throws DurationSyntaxError
 */
export function tcpReportIntervalMs(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TCP_REPORT_INTERVAL_MS;
  return Math.max(clientDurationMs(text, MIN_TCP_REPORT_INTERVAL_MS), MIN_TCP_REPORT_INTERVAL_MS);
}

export interface TcpReportsOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Bytes carried until now. */
  readonly total: () => TcpByteCounts;
  /** Gets the facts of the event for `deriveTcpReportAttributes`. */
  readonly report: (facts: Required<Pick<TcpReportFacts, 'event' | 'total' | 'lastReported'>>) => void;
  /** Gets the exceptions of `total` and `report` in a timer. That report is lost, later ones are made. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Reports an allowed connection: `open` at once, `continue` every interval, `close` at the first call of the returned
 * function. Denied connections are not reported: do not start this for them
 * (docs/reference/policy-client.md#tcp-attributes).
 */
export function startTcpReports({ clock, intervalMs, total, report, onError }: TcpReportsOptions): () => void {
  const tell = guardedErrors(onError);
  const openedMs = clock.monotonicMs();
  let lastReported: TcpByteCounts = { received: 0n, sent: 0n };
  let isOpen = true;
  const send = (event: TcpReportEvent): void => {
    const facts = { event, total: total(), lastReported };
    lastReported = facts.total;
    report(facts);
  };
  const continueLater = (): (() => void) =>
    clock.schedule(intervalMs, () => {
      try {
        stopTimer = continueLater();
        send({ type: 'continue' });
      } catch (error) {
        // An exception in a timer ends the process.
        tell(error, 'timer');
      }
    });
  let stopTimer = continueLater();
  send({ type: 'open' });
  return () => {
    if (!isOpen) return;
    isOpen = false;
    stopTimer();
    const durationNs = BigInt(Math.round((clock.monotonicMs() - openedMs) * NANOSECONDS_PER_MILLISECOND));
    send({ type: 'close', durationNs });
  };
}
