import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { ProgressLine } from '../report/progress-line.js';
import { Cleanup } from '../run/cleanup.js';
import { OwnedProcesses } from '../subject/owned-process.js';
import { endOnSignals } from './end-on-signals.js';

/** What a run may use while it lasts. */
export interface RunParts {
  /** Ended before the work folders are removed. */
  readonly processes: OwnedProcesses;
  /** Steps that are undone before the processes end. */
  readonly cleanup: Cleanup;
  readonly line: ProgressLine;
  /** Shows the current wait. */
  readonly progress: (what: string) => void;
  /** Creates a folder that is removed at the end. */
  createWorkFolder(): Promise<string>;
}

/** Runs a benchmark, and cleans up however it ends: by its result, an error, or a signal such as that of Ctrl-C. */
export async function supervise<Result>(run: (parts: RunParts) => Promise<Result>): Promise<Result> {
  const processes = new OwnedProcesses();
  const cleanup = new Cleanup();
  const folders: string[] = [];
  cleanup.add(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  cleanup.add(() => processes.endAll());
  const line = new ProgressLine(process.stderr, monotonicMs);
  const release = endOnSignals(cleanup, processes, line);
  try {
    return await run({
      ...{ processes, cleanup, line },
      progress: (what) => line.update(what, undefined),
      createWorkFolder: async () => {
        const folder = await mkdtemp(join(tmpdir(), 'navigator-bench-'));
        folders.push(folder);
        return folder;
      },
    });
  } finally {
    line.clear();
    await cleanup.run();
    release();
  }
}
