import type { DistributionReport } from './distribution-report.js';

export interface FoundReport {
  readonly text: string;
  readonly report: DistributionReport;
  /** How old it is by its own word and our clock; absent where it does not say. */
  readonly ageMs?: number | undefined;
}

/** The newest report of each other instance, for as long as it goes on being written. */
export interface ReportShelf {
  /** A report as the cluster has it now; undefined when it was removed. Seeing the same one again does not renew it. */
  put(name: string, found: FoundReport | undefined, nowMs: number): void;
  /** Those that are not stale, sorted by reporter. */
  fresh(nowMs: number): readonly DistributionReport[];
  /** Names of the stale ones. */
  stale(nowMs: number): readonly string[];
}

/** Reports of instances that have not written for this long do not count (BEHAVIOUR 8, "Status"). */
export const STALE_MS = 60_000;
/** An instance writes its report at least this often: thrice in the time after which it is stale. */
export const REFRESH_MS = STALE_MS / 3;
/**
 * How much of what a report says about its age is believed when it is seen for the first time: whoever lives has written
 * it again before it is stale, however wrong its clock or ours is.
 */
const MAX_FIRST_AGE_MS = STALE_MS - REFRESH_MS - 5_000;

interface Kept {
  readonly text: string;
  readonly report: DistributionReport;
  readonly sinceMs: number;
}

/**
 * The age of a report is counted from when it was seen to change, so that clocks of machines need not agree. One that is
 * seen for the first time, by an instance that leads from now on, may have been left behind long ago by the one that led.
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
