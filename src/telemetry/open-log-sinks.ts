import { errorText } from '../base/error-text.js';
import { type LogSink, openLogTarget } from './log-sink.js';
import type { LoggingOptions } from './logging-options.js';
import { RotatingFile } from './rotating-file.js';

const BYTES_PER_MEGABYTE = 2 ** 20;

/**
 * Opens every target of --log_target and the file of --log_rotate.
 *
 * @throws Error naming the flag, the path and the system's reason
 */
export function openLogSinks(options: LoggingOptions, now: () => Date): readonly LogSink[] {
  const sinks = [...new Set(options.logTarget)].map((target) =>
    opening('--log_target', target, () => openLogTarget(target)),
  );
  if (options.logRotate === '') {
    return sinks;
  }
  const limits = {
    maxBytes: options.logRotateMaxSizeMegabytes * BYTES_PER_MEGABYTE,
    maxAgeDays: options.logRotateMaxAgeDays,
    maxBackups: options.logRotateMaxBackups,
  };
  const onError = reportOnce(options.logRotate);
  return [
    ...sinks,
    opening('--log_rotate', options.logRotate, () => new RotatingFile(options.logRotate, limits, { now, onError })),
  ];
}

function opening(flag: string, path: string, open: () => LogSink): LogSink {
  try {
    return open();
  } catch (cause) {
    const reason = errorText(cause);
    throw new Error(`${flag} must be a path that can be written, not ${JSON.stringify(path)}: ${reason}`, { cause });
  }
}

/** The log cannot report its own failure, so this goes to stderr, once per file. */
function reportOnce(path: string): (error: unknown) => void {
  let reported = false;
  return (error) => {
    if (!reported) {
      reported = true;
      process.stderr.write(`log file ${path} cannot be written: ${errorText(error)}\n`);
    }
  };
}
