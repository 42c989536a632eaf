import { constants } from 'node:os';
import type { ProgressLine } from '../report/progress-line.js';
import type { Cleanup } from '../run/cleanup.js';
import type { OwnedProcesses } from '../subject/owned-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes Ctrl-C and its like clean up before the process ends, and kills the started processes even when an error ends
 * it at once. The returned function takes that back.
 */
export function endOnSignals(cleanup: Cleanup, processes: OwnedProcesses, line: ProgressLine): () => void {
  const end = (signal: NodeJS.Signals) => {
    line.clear();
    process.stderr.write(`bench: ended by ${signal}, cleaning up\n`);
    const exitCode = 128 + constants.signals[signal];
    cleanup.run().then(
      () => process.exit(exitCode),
      () => process.exit(exitCode),
    );
  };
  const killAll = () => processes.killAll();
  for (const signal of SIGNALS) process.once(signal, end);
  process.once('exit', killAll);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
    process.off('exit', killAll);
  };
}
