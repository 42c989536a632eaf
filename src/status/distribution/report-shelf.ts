import type { DistributionReport } from './distribution-report.js';

/** The newest report of each other instance, for as long as it goes on being written. */
export interface ReportShelf {
  /** A report as the cluster has it now; undefined when it was removed. Seeing the same one again does not renew it. */
  put(
    name: string,
    found: { readonly text: string; readonly report: DistributionReport } | undefined,
    nowMs: number,
  ): void;
  /** Those that are not stale, sorted by reporter. */
  fresh(nowMs: number): readonly DistributionReport[];
  /** Names of the stale ones. */
  stale(nowMs: number): readonly string[];
}

/** Reports of instances that have not written for this long do not count (BEHAVIOUR 8, "Status"). */
export const STALE_MS = 60_000;

interface Kept {
  readonly text: string;
  readonly report: DistributionReport;
  readonly sinceMs: number;
}

/** The age of a report is counted from when it was seen to change, so that clocks of machines need not agree. */
export function createReportShelf(): ReportShelf {
  const kept = new Map<string, Kept>();
  const isStale = ({ sinceMs }: Kept, nowMs: number): boolean => nowMs - sinceMs > STALE_MS;
  return {
    put: (name, found, nowMs) => {
      if (found === undefined) kept.delete(name);
      else if (kept.get(name)?.text !== found.text) kept.set(name, { ...found, sinceMs: nowMs });
    },
    fresh: (nowMs) =>
      [...kept.values()]
        .filter((each) => !isStale(each, nowMs))
        .map(({ report }) => report)
        .sort((first, second) => (first.reporter < second.reporter ? -1 : 1)),
    stale: (nowMs) => [...kept].filter(([, each]) => isStale(each, nowMs)).map(([name]) => name),
  };
}
