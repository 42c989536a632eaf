import type { Clock } from '../base/clock.js';
import type { LogFields, Logger } from './logger.js';

/**
 * Log of events that calls can cause at any rate: each message at most once per interval, with the number of omitted
 * lines.
 */
export interface LimitedLog {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const INTERVAL_MS = 10_000;

interface Spoken {
  readonly untilMs: number;
  suppressed: number;
}

/** @param intervalMs 10 s unless given */
export function createLimitedLog(logger: Logger, clock: Clock, intervalMs = INTERVAL_MS): LimitedLog {
  // Messages are constants of the code, so this map stays small.
  const spoken = new Map<string, Spoken>();
  const at = (level: 'info' | 'warn' | 'error') => (fields: LogFields, message: string) => {
    const nowMs = clock.monotonicMs();
    const last = spoken.get(message);
    if (last !== undefined && nowMs < last.untilMs) {
      last.suppressed++;
      return;
    }
    spoken.set(message, { untilMs: nowMs + intervalMs, suppressed: 0 });
    logger[level](last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields, message);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
