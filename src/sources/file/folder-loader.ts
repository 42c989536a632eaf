import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../base/error-text.js';
import type { Logger } from '../../telemetry/logger.js';
import type { DirectoryWatcher } from './directory-watcher.js';
import type { FileProblem } from './file-report.js';
import type { FolderState } from './folder-state.js';
import { RefusedFileError, readConfigFile } from './read-config-file.js';
import type { SkippedKind } from './read-documents.js';
import { identityOf, isConfigFile, isGone, scanDirectory } from './scan-directory.js';

export interface FolderLoaderOptions {
  readonly directory: string;
  readonly state: FolderState;
  readonly watcher: DirectoryWatcher;
  readonly logger: Logger;
}

export interface LoadResult {
  /** Problems of the folders, not of files in them. */
  readonly problems: readonly FileProblem[];
  /** The system does not report every change, so the next scan must come soon. */
  readonly isBlind: boolean;
  /** The whole folder was scanned, not only the hinted paths. */
  readonly isComplete: boolean;
}

/** Updates the state of a folder from the disk, and reads only changed files. */
export interface FolderLoader {
  /** Notes that a path may have changed; without a path, the whole folder. */
  hint(file: string | undefined): void;
  /** Looks at the paths that were noted since the last call. */
  load(): Promise<LoadResult>;
}

interface FoundFile {
  readonly identity: string;
  readonly size: number;
}

/** A file is parsed in one go: a larger file would hold up proxies for seconds. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const CONCURRENT_READS = 32;

export function createFolderLoader({ directory, state, watcher, logger }: FolderLoaderOptions): FolderLoader {
  let hints = new Set<string>();
  let isAnythingHinted = false;
  let folderProblems: readonly FileProblem[] = [];
  let isBlind = false;
  let realRoot = directory;
  const skippedKinds = new Map<string, string>();

  const read = async (file: string, { identity, size }: FoundFile): Promise<void> => {
    try {
      const text = await readConfigFile(path.join(directory, file), { realRoot, size, maxBytes: MAX_FILE_BYTES });
      const { skipped } = state.accept(file, identity, text);
      logSkipped(file, skipped);
    } catch (error) {
      if (isGone(error)) isAnythingHinted = true;
      else if (error instanceof RefusedFileError) state.refuse({ file, reason: error.message }, identity);
      else state.refuse({ file, reason: `cannot be read: ${errorText(error)}` }, identity);
    }
  };

  /**
   * Logs each kind that the mesh does not need, once until the kinds of the file change. A folder that is also applied
   * to clusters has many such kinds, so the level is debug.
   */
  const logSkipped = (file: string, skipped: readonly SkippedKind[]): void => {
    const kinds = new Map(skipped.map((each) => [`${each.apiVersion} ${each.kind}`, each]));
    const signature = [...kinds.keys()].sort().join();
    if (signature === (skippedKinds.get(file) ?? '')) return;
    skippedKinds.set(file, signature);
    for (const { apiVersion, kind, location } of kinds.values()) {
      logger.debug({ ...location, apiVersion, kind }, 'skipped a kind that the mesh does not need');
    }
  };

  const readAll = async (files: readonly (readonly [string, FoundFile])[]): Promise<void> => {
    const changed = files.filter(([file, found]) => state.identityOf(file) !== found.identity);
    for (let start = 0; start < changed.length; start += CONCURRENT_READS) {
      await Promise.all(changed.slice(start, start + CONCURRENT_READS).map(([file, found]) => read(file, found)));
    }
  };

  const loadEverything = async (): Promise<void> => {
    const parent = path.dirname(directory);
    const parentStats = await stat(parent).catch(() => undefined);
    if (parentStats !== undefined) watcher.visit(parent, parentStats);
    realRoot = await realpath(directory).catch(() => directory);
    const scan = await scanDirectory(directory, realRoot, watcher.visit);
    watcher.sweep();
    const keeps = (file: string): boolean =>
      scan.files.has(file) ||
      scan.refused.has(file) ||
      scan.unreadable.some((gone) => gone === '' || file === gone || file.startsWith(`${gone}/`));
    for (const file of state.files()) {
      if (keeps(file)) continue;
      state.remove(file);
      skippedKinds.delete(file);
    }
    await readAll([...scan.files]);
    folderProblems = scan.problems;
    isBlind = scan.unreadable.length > 0 || !watcher.isComplete();
  };

  /** Looks at the hinted paths only. Returns false when a full scan is needed, as for a new file or a folder. */
  const loadHinted = async (files: ReadonlySet<string>): Promise<boolean> => {
    const found: (readonly [string, FoundFile])[] = [];
    for (const file of files) {
      const stats = await stat(file).catch(() => undefined);
      if (stats === undefined || !stats.isFile()) return false;
      if (!isConfigFile(file) || path.basename(file).startsWith('.')) continue;
      const relative = path.relative(directory, file).split(path.sep).join('/');
      if (state.identityOf(relative) === undefined) return false;
      found.push([relative, { identity: identityOf(stats), size: stats.size }]);
    }
    await readAll(found);
    return true;
  };

  return {
    hint: (file) => {
      if (file === undefined) isAnythingHinted = true;
      else hints.add(file);
    },
    load: async () => {
      const taken = hints;
      const isAnything = isAnythingHinted || folderProblems.length > 0;
      hints = new Set();
      isAnythingHinted = false;
      const isDone = !isAnything && (await loadHinted(taken));
      if (!isDone) await loadEverything();
      return { problems: folderProblems, isBlind: isBlind || isAnythingHinted, isComplete: !isDone };
    },
  };
}
