import type { LoggingOptions } from '../../src/telemetry/logging-options.js';

/** Logging without files, at the default levels. */
export function loggingOptions(changes: Partial<LoggingOptions> = {}): LoggingOptions {
  return {
    logAsJson: true,
    logCaller: [],
    logOutputLevel: [],
    logRotate: '',
    logRotateMaxAgeDays: 0,
    logRotateMaxBackups: 0,
    logRotateMaxSizeMegabytes: 1,
    logStacktraceLevel: [],
    logTarget: [],
    ...changes,
  };
}
