import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import { createLineWriter } from './line-writer.js';

/** Target of log lines. */
export interface LogSink {
  /** Whether the target is a terminal that shows colours. */
  readonly colored: boolean;
  /** @param text whole lines, with their line ends */
  write(text: string): void;
  close(): Promise<void>;
}

const STANDARD_STREAMS: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

/**
 * Opens a target of --log_target: `stdout`, `stderr` or a file, whose folder is created and to which lines are
 * appended. Writes are synchronous, so the log is complete however the process ends. A full disk or a closed reader
 * loses lines but does not stop the process.
 *
 * @throws the error of the system if a file cannot be opened
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
