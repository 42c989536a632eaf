import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import { type FileProblem, type FileReport, problemId } from './file-report.js';

export interface ReportLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with all present problems when one of them changes. */
  readonly onReport?: (reports: readonly FileReport[]) => void;
}

/**
 * Keeps the present problems of a folder. Logs each problem once when it appears, and each file once when it is in
 * order again.
 */
export interface ReportLog {
  /** @param mistaken objects that are left out of files that are served */
  update(problems: readonly FileProblem[], mistaken?: readonly FileProblem[]): void;
  reports(): readonly FileReport[];
}

export function createReportLog({ clock, logger, onReport }: ReportLogOptions): ReportLog {
  let current: ReadonlyMap<string, FileReport> = new Map();
  return {
    update: (problems, mistaken = []) => {
      const next = new Map<string, FileReport>();
      for (const problem of [...problems, ...mistaken]) {
        const id = problemId(problem);
        next.set(id, current.get(id) ?? { ...problem, since: clock.now() });
      }
      const appeared = [...next].filter(([id]) => !current.has(id)).map(([, report]) => report);
      const gone = [...current].filter(([id]) => !next.has(id)).map(([, report]) => report);
      current = next;
      const leftOut = new Set(mistaken.map(problemId));
      for (const { since: _, ...fields } of appeared) {
        if (leftOut.has(problemId(fields))) logger.error(fields, 'object of an unknown kind is skipped');
        else logger.error(fields, 'configuration is refused, its last good state is served');
      }
      const troubled = new Set([...next.values()].map((report) => report.file));
      for (const file of new Set(gone.map((report) => report.file))) {
        if (!troubled.has(file)) logger.info({ file }, 'configuration is in order again');
      }
      if (appeared.length > 0 || gone.length > 0) onReport?.([...next.values()]);
    },
    reports: () => [...current.values()],
  };
}
