import type { DistributionReport } from './distribution-report.js';

export interface FoundReport {
  readonly text: string;
  readonly report: DistributionReport;
  /** Age by its own time and the clock of this process; absent if the report has no time. */
  readonly ageMs?: number | undefined;
}

/** The newest report of each other instance, as long as that instance repeats it. */
export interface ReportShelf {
  /** Stores a report; undefined if it was removed. An unchanged text does not renew a report. */
  put(name: string, found: FoundReport | undefined, nowMs: number): void;
  /** The reports that are not stale, sorted by reporter. */
  fresh(nowMs: number): readonly DistributionReport[];
  /** Names of the stale reports. */
  stale(nowMs: number): readonly string[];
}

/** A report does not count if it has not changed for this time. */
export const STALE_MS = 60_000;
/** An instance writes its report at least this often: three times before it would become stale. */
export const REFRESH_MS = STALE_MS / 3;
/**
 * Largest age that a new report can have. A running instance then writes its report again before the report is stale,
 * even if a clock is wrong.
 */
const MAX_FIRST_AGE_MS = STALE_MS - REFRESH_MS - 5_000;

interface Kept {
  readonly text: string;
  readonly report: DistributionReport;
  readonly sinceMs: number;
}

/**
 * Counts the age of a report from its last observed change, so that clocks of machines need not agree. A new leader
 * uses the time in a report that it reads for the first time: a stopped instance may have left it long ago.
 */
export function createReportShelf(): ReportShelf {
  const kept = new Map<string, Kept>();
  const isStale = ({ sinceMs }: Kept, nowMs: number): boolean => nowMs - sinceMs > STALE_MS;
  return {
    put: (name, found, nowMs) => {
      if (found === undefined) {
        kept.delete(name);
        return;
      }
      const { text, report, ageMs = 0 } = found;
      const known = kept.get(name);
      if (known?.text === text) return;
      const firstAgeMs = known === undefined ? Math.min(Math.max(ageMs, 0), MAX_FIRST_AGE_MS) : 0;
      kept.set(name, { text, report, sinceMs: nowMs - firstAgeMs });
    },
    fresh: (nowMs) =>
      [...kept.values()]
        .filter((each) => !isStale(each, nowMs))
        .map(({ report }) => report)
        .sort((first, second) => (first.reporter < second.reporter ? -1 : 1)),
    stale: (nowMs) => [...kept].filter(([, each]) => isStale(each, nowMs)).map(([name]) => name),
  };
}
