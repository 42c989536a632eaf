import type { Clock } from '../../../base/clock.js';
import type { ObjectKey } from '../../../config/object.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { EventRecorder } from './event-recorder.js';
import type { ObjectProblem, ObjectReport } from './object-report.js';

export interface ProblemLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  /** Called with all present problems when one of them changes. */
  readonly onReport?: (reports: readonly ObjectReport[]) => void;
}

/**
 * Keeps the present problems of a cluster's objects. Logs each problem once when it appears, and each object once when
 * it is in order again.
 */
export interface ProblemLog {
  /** Sets the present problems of an object; none when it is valid or removed. */
  update(key: ObjectKey, problems: readonly ObjectProblem[]): void;
  reports(): readonly ObjectReport[];
}

export function createProblemLog({ clock, logger, recorder, onReport }: ProblemLogOptions): ProblemLog {
  const current = new Map<ObjectKey, readonly ObjectReport[]>();
  const reports = (): readonly ObjectReport[] => [...current.values()].flat();
  return {
    update: (key, problems) => {
      const before = current.get(key) ?? [];
      if (before.length === 0 && problems.length === 0) return;
      const known = new Map(before.map((report) => [problemId(report), report]));
      const next = problems.map((problem) => known.get(problemId(problem)) ?? { ...problem, since: clock.now() });
      const appeared = next.filter((report) => !known.has(problemId(report)));
      if (next.length === 0) {
        current.delete(key);
        logger.info({ object: key }, 'an object of the cluster is in order again, or gone');
        recorder.wellAgain(key);
      } else {
        current.set(key, next);
      }
      for (const { key: object, field, reason } of appeared) {
        logger.error({ object, field, reason }, 'an object of the cluster is refused, its last good state is served');
      }
      if (appeared.length > 0) recorder.refused(key);
      if (appeared.length > 0 || next.length !== before.length) onReport?.(reports());
    },
    reports,
  };
}

function problemId({ field = '', reason }: ObjectProblem): string {
  return `${field}\n${reason}`;
}
