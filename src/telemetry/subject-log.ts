import type { Clock } from '../base/clock.js';
import type { LogFields, Logger } from './logger.js';

/** Log of events that many peers can cause at any rate: each message at most once per subject and interval. */
export interface SubjectLog {
  /** @param subject of the message, such as an address */
  warn(subject: string, fields: LogFields, message: string): void;
}

export interface SubjectLogLimits {
  /** 10 minutes unless given. */
  readonly intervalMs?: number;
  /**
   * Number of remembered subjects; default 1000. Messages of further subjects in an interval are counted, not logged.
   */
  readonly maxSubjects?: number;
}

const INTERVAL_MS = 600_000;
const MAX_SUBJECTS = 1_000;

export function createSubjectLog(logger: Logger, clock: Clock, limits: SubjectLogLimits = {}): SubjectLog {
  const { intervalMs = INTERVAL_MS, maxSubjects = MAX_SUBJECTS } = limits;
  // In the order of expiry.
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
