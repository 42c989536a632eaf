import type { LogFields, Logger } from '../../../src/telemetry/logger.js';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export function createRecordingLogger(): Logger & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const record =
    (level: LogEntry['level']) =>
    (fields: LogFields, message: string): void => {
      entries.push({ level, fields, message });
    };
  return {
    entries,
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    isDebugEnabled: () => true,
  };
}
