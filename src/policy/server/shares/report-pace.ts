import type { Clock } from '../../../base/clock.js';

/** A proxy reports each of its 5,000 buckets once in five seconds, and each new one at once. */
const REPORTS_PER_S = 2000;
/** What a proxy may send at once after a pause. */
const BURST = 10_000;

const MS_PER_REPORT = 1000 / REPORTS_PER_S;

/**
 * Limits the reports of one proxy: further ones are read later, so that gRPC stops the proxy.
 *
 * @returns a function that settles when so many more reports may be taken
 */
export function createReportPace(clock: Clock): (reports: number) => Promise<void> {
  /** When the reports so far would be done at the lasting rate. */
  let doneMs = Number.NEGATIVE_INFINITY;
  return (reports) => {
    const nowMs = clock.monotonicMs();
    doneMs = Math.max(doneMs, nowMs - BURST * MS_PER_REPORT) + reports * MS_PER_REPORT;
    const waitMs = doneMs - nowMs;
    return waitMs <= 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          clock.schedule(waitMs, resolve);
        });
  };
}
