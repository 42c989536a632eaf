import { type FSWatcher, watch } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.js';

/** The content of a file. */
export type FileContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly reason: string };

export type FileContents<Name extends string> = Readonly<Record<Name, FileContent>>;

export interface WatchedFilesOptions<Name extends string> {
  /** Paths by name. Files and folders need not exist. */
  readonly files: Readonly<Record<Name, string>>;
  readonly clock: Clock;
  /** Called when a content has changed; not for the contents that `start` returns. */
  readonly onChange: (contents: FileContents<Name>) => void;
  /**
   * Time without changes before files are read again, in milliseconds. Default 100
   * (docs/reference/certificate-authority.md#server-certificate).
   */
  readonly debounceMs?: number;
  /** Interval at which files are read even without a notification, in milliseconds. Default 10,000. */
  readonly rescanMs?: number;
}

/** Reads files that belong together, such as keys and certificates, as a unit, and again when one of them changes. */
export interface WatchedFiles<Name extends string> {
  start(): Promise<FileContents<Name>>;
  stop(): Promise<void>;
}

const DEFAULT_DEBOUNCE_MS = 100;
const DEFAULT_RESCAN_MS = 10_000;
/** A longer file holds neither a key nor certificates. */
const MAX_BYTES = 1024 * 1024;

export function createWatchedFiles<Name extends string>(options: WatchedFilesOptions<Name>): WatchedFiles<Name> {
  const { clock, onChange, debounceMs = DEFAULT_DEBOUNCE_MS, rescanMs = DEFAULT_RESCAN_MS } = options;
  const names = Object.keys(options.files) as Name[];
  const watchers = new Map<string, FSWatcher>();
  let contents: FileContents<Name> | undefined;
  let isStopped = false;
  let cancelDebounce = (): void => undefined;
  let cancelRescan = (): void => undefined;
  let work: Promise<void> = Promise.resolve();

  /** Watches the folders of link targets too, because an update of a mounted secret changes a link. */
  const watchFolders = async (): Promise<void> => {
    const folders = new Set<string>();
    for (const name of names) {
      const file = path.resolve(options.files[name]);
      folders.add(path.dirname(file));
      folders.add(path.dirname(await realpath(file).catch(() => file)));
    }
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) if (!watchers.has(folder)) watchFolder(folder);
  };

  const watchFolder = (folder: string): void => {
    const drop = (): void => {
      watchers.get(folder)?.close();
      watchers.delete(folder);
    };
    try {
      const watcher = watch(folder, { persistent: false }, (_event, changed) => {
        // When a folder is removed, its watch reports the name of the folder and then nothing more.
        if (changed === path.basename(folder)) drop();
        hint();
      });
      watcher.on('error', drop);
      watchers.set(folder, watcher);
    } catch {
      // The folder does not exist, or the system has no watch left. The next rescan finds changes.
    }
  };

  const look = async (): Promise<FileContents<Name>> => {
    await watchFolders();
    const entries = await Promise.all(names.map(async (name) => [name, await readOne(options.files[name])] as const));
    return Object.fromEntries(entries) as Record<Name, FileContent>;
  };

  const reload = async (): Promise<void> => {
    if (isStopped) return;
    cancelRescan();
    const found = await look();
    const isChanged = contents !== undefined && !isDeepStrictEqual(found, contents);
    contents = found;
    if (isStopped) return;
    cancelRescan = clock.schedule(rescanMs, later);
    if (isChanged) onChange(found);
  };

  const later = (): void => {
    work = work.then(reload);
  };

  const hint = (): void => {
    cancelDebounce();
    if (!isStopped) cancelDebounce = clock.schedule(debounceMs, later);
  };

  return {
    start: async () => {
      later();
      await work;
      return contents ?? (await look());
    },
    stop: async () => {
      isStopped = true;
      cancelDebounce();
      cancelRescan();
      await work;
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

async function readOne(file: string): Promise<FileContent> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return { type: 'unreadable', reason: `it is longer than ${MAX_BYTES} bytes` };
    return { type: 'text', text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing' };
    return { type: 'unreadable', reason: message };
  }
}
