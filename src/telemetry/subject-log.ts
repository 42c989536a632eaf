import type { Clock } from '../base/clock.js';
import type { LogFields, Logger } from './logger.js';

/** Logs what many can cause over and over: each message at most once per subject and interval. */
export interface SubjectLog {
  /** @param subject whom it is about, such as an address */
  warn(subject: string, fields: LogFields, message: string): void;
}

export interface SubjectLogLimits {
  /** 10 minutes unless given. */
  readonly intervalMs?: number;
  /** Subjects that are remembered; 1000 unless given. More of them within an interval are not logged, but counted. */
  readonly maxSubjects?: number;
}

const INTERVAL_MS = 600_000;
const MAX_SUBJECTS = 1_000;

export function createSubjectLog(logger: Logger, clock: Clock, limits: SubjectLogLimits = {}): SubjectLog {
  const { intervalMs = INTERVAL_MS, maxSubjects = MAX_SUBJECTS } = limits;
  // In the order in which they end.
  const spoken = new Map<string, number>();
  let suppressed = 0;
  const forget = (nowMs: number): void => {
    for (const [key, untilMs] of spoken) {
      if (nowMs < untilMs) return;
      spoken.delete(key);
    }
  };
  return {
    warn: (subject, fields, message) => {
      const nowMs = clock.monotonicMs();
      forget(nowMs);
      const key = `${message} ${subject}`;
      if (spoken.has(key) || spoken.size >= maxSubjects) {
        suppressed++;
        return;
      }
      spoken.set(key, nowMs + intervalMs);
      logger.warn(suppressed === 0 ? fields : { ...fields, suppressed }, message);
      suppressed = 0;
    },
  };
}
