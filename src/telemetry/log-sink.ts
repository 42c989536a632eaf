import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import { createLineWriter } from './line-writer.js';

/** Where finished log lines go. */
export interface LogSink {
  /** A terminal that shows colours. */
  readonly colored: boolean;
  /** @param text whole lines, with their line ends */
  write(text: string): void;
  close(): Promise<void>;
}

const STANDARD_STREAMS: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

/**
 * Opens a target of --log_target: `stdout`, `stderr` or a file, which is appended to and whose folder is made.
 * Writes are synchronous: the log is complete when the process ends, whatever ends it. A full disk or a reader that
 * has gone away costs lines, not the process.
 *
 * @throws the system's error when a file cannot be opened
 */
export function openLogTarget(target: string): LogSink {
  const standard = Object.hasOwn(STANDARD_STREAMS, target) ? STANDARD_STREAMS[target] : undefined;
  const descriptor = standard ?? openForAppending(target);
  const writer = createLineWriter((bytes) => writeSync(descriptor, bytes));
  return {
    colored: isatty(descriptor) && !process.env['NO_COLOR'],
    write: (text) => writer.write(text),
    close: async () => {
      if (standard === undefined) closeSync(descriptor);
    },
  };
}

function openForAppending(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o640);
}
