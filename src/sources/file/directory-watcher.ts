import { type FSWatcher, type Stats, watch } from 'node:fs';
import path from 'node:path';

/** Called when something may have changed; the path is undefined when the system does not name it. */
export type ChangeHint = (file: string | undefined) => void;

export interface DirectoryWatcher {
  /** Watches a directory without its subdirectories. To watch it again costs nothing. */
  visit(directory: string, stats: Stats): void;
  /** Stops watching the directories that were not visited since the last call. */
  sweep(): void;
  /** False when the system refused a watch: only a new scan finds changes. */
  isComplete(): boolean;
  close(): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches directories with one system watch each; the kernel reports the files in them. Reports are hints: the reader
 * of a hint looks at the disk. A watcher of each file takes a hundred times as long to start on a folder of thousands.
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
        // A removed directory reports its own name. Its watch reports nothing more.
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
      // A new directory can get the inode number of a removed one.
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
