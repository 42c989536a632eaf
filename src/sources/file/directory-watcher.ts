import { type FSWatcher, type Stats, watch } from 'node:fs';
import path from 'node:path';

/** Tells that something may have changed: a path, or nothing when it is not known what. */
export type ChangeHint = (file: string | undefined) => void;

export interface DirectoryWatcher {
  /** Watches a directory, not those below it; watching it again is free. */
  visit(directory: string, stats: Stats): void;
  /** Stops watching directories that were not visited since the last call. */
  sweep(): void;
  /** False when the system refused a watch, so that only looking again finds changes. */
  isComplete(): boolean;
  close(): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches a set of directories with one system watch each; the kernel reports the files in them. What it
 * reports are hints, and looking is what decides. (A watcher that watches each file costs a hundred times as
 * much to start on a folder of thousands.)
 */
export function createDirectoryWatcher(hint: ChangeHint): DirectoryWatcher {
  const watched = new Map<string, Watched>();
  const visited = new Set<string>();
  const refused = new Set<string>();

  const drop = (directory: string): void => {
    watched.get(directory)?.watcher.close();
    watched.delete(directory);
  };

  const open = (directory: string, identity: string): void => {
    try {
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        // A watched directory that goes away reports its own name; the watch is dead from then on.
        if (name === path.basename(directory)) drop(directory);
        hint(watched.has(directory) && name !== null ? path.join(directory, name) : undefined);
      });
      watcher.on('error', () => {
        drop(directory);
        hint(undefined);
      });
      watched.set(directory, { watcher, identity });
      refused.delete(directory);
    } catch {
      refused.add(directory);
    }
  };

  return {
    visit: (directory, { dev, ino, birthtimeMs }) => {
      // A directory that is made again may get the number of the one that was removed.
      const identity = `${dev}:${ino}:${birthtimeMs}`;
      visited.add(directory);
      const existing = watched.get(directory);
      if (existing?.identity === identity) return;
      if (existing !== undefined) drop(directory);
      open(directory, identity);
    },
    sweep: () => {
      for (const directory of [...watched.keys()]) if (!visited.has(directory)) drop(directory);
      for (const directory of [...refused]) if (!visited.has(directory)) refused.delete(directory);
      visited.clear();
    },
    isComplete: () => refused.size === 0,
    close: () => {
      for (const directory of [...watched.keys()]) drop(directory);
    },
  };
}
