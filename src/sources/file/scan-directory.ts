import { type Dirent, type Stats, statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText } from '../../base/error-text.js';
import type { FileProblem } from './file-report.js';
import { isInside, NOT_REGULAR, OUTSIDE } from './read-config-file.js';

/** Changes when the content of the file does, even for a replacement of equal size and time. */
export type FileIdentity = string;

export interface DirectoryScan {
  /** Files to read, by path below the folder. */
  readonly files: ReadonlyMap<string, { readonly identity: FileIdentity; readonly size: number }>;
  /** Paths below the folder that are not followed, for the reasons in `problems`. Their last state stays. */
  readonly refused: ReadonlySet<string>;
  /** Why entries could not be read. */
  readonly problems: readonly FileProblem[];
  /** Paths below the folder whose present content is not known; an empty string for the folder itself. */
  readonly unreadable: readonly string[];
}

/** Called with each directory before its content is listed, so that the watch misses no later change. */
export type VisitDirectory = (directory: string, stats: Stats) => void;

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
/**
 * Files that are looked at synchronously before other work gets a turn: a promise costs ten times as much as the look.
 */
const ENTRIES_PER_TURN = 64;
/** Links between folders can make more paths than there are folders. */
const MAX_DIRECTORIES = 10_000;

/**
 * Lists the configuration files below a folder. Follows links to files and folders inside of it. Skips names that start
 * with a dot: files of editors, and the inner folders of ConfigMap mounts (`..data`). Links that lead outside, and
 * entries that are neither file nor folder, are problems.
 *
 * @param realRoot the folder with all links resolved
 */
export async function scanDirectory(root: string, realRoot: string, visit: VisitDirectory): Promise<DirectoryScan> {
  const files = new Map<string, { readonly identity: FileIdentity; readonly size: number }>();
  const problems: FileProblem[] = [];
  const unreadable: string[] = [];
  const refused = new Set<string>();
  const linkedDirectories = new Set<string>();
  let directories = 0;

  const refuse = (relative: string, error: unknown): void => {
    problems.push({ file: relative === '' ? '.' : relative, reason: `cannot be read: ${errorText(error)}` });
    unreadable.push(relative);
  };

  const leaveOut = (relative: string, reason: string): void => {
    problems.push({ file: relative, reason });
    refused.add(relative);
  };

  const scanOne = async (relative: string, ancestors: ReadonlySet<string>): Promise<void> => {
    const directory = path.join(root, relative);
    let entries: readonly Dirent[];
    let trail: ReadonlySet<string>;
    try {
      const real = await realpath(directory);
      if (ancestors.has(real)) return;
      if (!isInside(realRoot, real)) {
        leaveOut(relative, OUTSIDE);
        return;
      }
      directories++;
      if (directories > MAX_DIRECTORIES)
        throw new Error(`there are more than ${MAX_DIRECTORIES} folders; remove links`);
      trail = new Set([...ancestors, real]);
      visit(directory, await stat(directory));
      entries = await readdir(directory, { withFileTypes: true });
    } catch (error) {
      if (relative === '' || !isGone(error)) refuse(relative, error);
      return;
    }
    const visible = entries.filter((entry) => !entry.name.startsWith('.'));
    for (let start = 0; start < visible.length; start += ENTRIES_PER_TURN) {
      if (start > 0) await nextTurn();
      await Promise.all(
        visible
          .slice(start, start + ENTRIES_PER_TURN)
          .map((entry) => scanEntry(path.posix.join(relative, entry.name), entry, trail)),
      );
    }
  };

  const scanEntry = async (relative: string, entry: Dirent, ancestors: ReadonlySet<string>): Promise<void> => {
    if (entry.isDirectory()) return await scanOne(relative, ancestors);
    if (!entry.isSymbolicLink() && !isConfigFile(relative)) return;
    if (!entry.isSymbolicLink() && !entry.isFile()) return leaveOut(relative, NOT_REGULAR);
    const file = path.join(root, relative);
    try {
      const stats = statSync(file);
      if (stats.isDirectory()) return await scanOne(relative, ancestors);
      if (!isConfigFile(relative)) return;
      if (entry.isSymbolicLink()) {
        const real = await realpath(file);
        if (!isInside(realRoot, real)) return leaveOut(relative, OUTSIDE);
        linkedDirectories.add(path.dirname(real));
      }
      if (!stats.isFile()) return leaveOut(relative, NOT_REGULAR);
      files.set(relative, { identity: identityOf(stats), size: stats.size });
    } catch (error) {
      if (isConfigFile(relative) && (entry.isSymbolicLink() || !isGone(error))) refuse(relative, error);
    }
  };

  await scanOne('', new Set());
  for (const directory of linkedDirectories) {
    const stats = await stat(directory).catch(() => undefined);
    if (stats !== undefined) visit(directory, stats);
  }
  problems.sort((first, second) => (first.file < second.file ? -1 : 1));
  return { files, problems, refused, unreadable };
}

export function isConfigFile(name: string): boolean {
  return EXTENSIONS.has(path.extname(name).toLowerCase());
}

export function identityOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileIdentity {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}

/** The entry was removed after the listing: this is not a problem. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
