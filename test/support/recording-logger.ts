import type { LogFields, Logger } from '../../src/telemetry/logger.js';

export interface LogRecord {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines for tests. */
export function createRecordingLogger(): Logger & { readonly records: readonly LogRecord[] } {
  const records: LogRecord[] = [];
  const at = (level: string) => (fields: LogFields, message: string) => void records.push({ level, message, fields });
  return {
    records,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isDebugEnabled: () => true,
  };
}
