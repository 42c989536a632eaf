import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { Logger } from '../../telemetry/logger.js';
import { createSettingsContent, type SettingsContent } from '../settings/settings-content.js';
import type { SettingsCustody } from '../settings/settings-custody.js';
import { createDebounced } from './debounced.js';
import { createDirectoryWatcher } from './directory-watcher.js';
import { errorText, identityOf, isGone } from './scan-directory.js';

export interface WatchedFileOptions<Value> {
  /** File to watch; it need not exist. */
  readonly file: string;
  /** The key of a ConfigMap that is mounted as the file, which errors and logs name too. */
  readonly mountedFrom?: { readonly object: string; readonly field: string } | undefined;
  readonly read: SettingsReader<Value>;
  /** In force while the file has never been there. */
  readonly defaults: Value;
  readonly custody?: SettingsCustody | undefined;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called when the value really changes, not for the first value. */
  readonly onChange: (value: Value) => void;
  /**
   * Set where something else is in force until there is a file, and says so. Called when one that was not there at the
   * start has come and is valid; `onChange` follows when its value is not that of the defaults.
   */
  readonly onFound?: () => void;
  /** Quiet time before a change is read, in milliseconds; 50. */
  readonly debounceMs?: number;
  /** How often the file is looked at even when no change was told, in milliseconds; 10 s. */
  readonly rescanMs?: number;
}

/** One settings file that is read at the start and again whenever it changes. */
export interface WatchedFile<Value> extends Pick<SettingsContent<Value>, 'current' | 'problems' | 'warnings'> {
  /**
   * Settles with the first value: the file's, or the defaults when it is missing. Where it cannot be used, that of the
   * last content that could.
   *
   * @throws SettingsRefusedError when there is no such content
   */
  start(): Promise<Value>;
  /** Whether it was there at the start, usable or not, or has come and been valid since. It may have gone again. */
  isFound(): boolean;
  stop(): Promise<void>;
}

const DEFAULT_DEBOUNCE_MS = 50;
const MAX_DEBOUNCE_MS = 500;
const DEFAULT_RESCAN_MS = 10_000;

/**
 * Watches a settings file: mesh config, mesh networks (docs/reference/sources.md#settings). Missing at the start:
 * defaults. Bad at the start: the last content that could be used, or no start. Bad, or gone, later: logged, and the
 * last good value stays.
 */
export function createWatchedFile<Value>(options: WatchedFileOptions<Value>): WatchedFile<Value> {
  const { read, defaults, logger, clock, mountedFrom } = options;
  const file = path.resolve(options.file);
  const content = createSettingsContent({
    read,
    defaults,
    place: { file, ...mountedFrom },
    label: mountedFrom === undefined ? file : labelOf(mountedFrom, file),
    logger,
    custody: options.custody,
  });
  let identity: string | undefined;
  let isFound = false;
  let isStarted = false;
  let isStopped = false;
  let cancelRescan = (): void => {};
  let work: Promise<void> = Promise.resolve();

  const watcher = createDirectoryWatcher((changed) => {
    if (concerns(changed, file)) debounced.trigger();
  });
  const later = (): void => {
    work = work.then(reload);
  };
  const debounced = createDebounced(later, {
    clock,
    quietMs: options.debounceMs ?? DEFAULT_DEBOUNCE_MS,
    maxMs: Math.max(MAX_DEBOUNCE_MS, options.debounceMs ?? 0),
  });

  const accept = (text: string): void => {
    const outcome = content.accept(text);
    const wasFound = isFound;
    isFound ||= !isStarted || outcome !== 'refused';
    if (!isStarted) return;
    if (isFound && !wasFound) options.onFound?.();
    if (outcome !== 'changed') return;
    logger.info({ file }, 'settings are reloaded');
    options.onChange(content.current());
  };

  const look = async (): Promise<void> => {
    await watchDirectories(file, watcher.visit);
    watcher.sweep();
    try {
      const stats = await stat(file);
      const found = identityOf(stats);
      if (found === identity) return;
      // To read a FIFO waits for a writer, for ever.
      if (!stats.isFile()) throw new Error('is not a regular file');
      const text = await readFile(file, 'utf8');
      identity = found;
      accept(text);
    } catch (error) {
      identity = undefined;
      if (!isGone(error)) {
        isFound ||= !isStarted;
        content.refuse([errorText(error)], 'settings file cannot be read');
      } else if (isStarted) content.absent(errorText(error), 'settings file cannot be read');
      else if (options.onFound === undefined) {
        options.custody?.forget();
        logger.info({ file }, 'settings file does not exist, defaults are used until it does');
      }
    }
  };

  const reload = async (): Promise<void> => {
    if (isStopped) return;
    cancelRescan();
    await look();
    if (!isStopped) cancelRescan = clock.schedule(options.rescanMs ?? DEFAULT_RESCAN_MS, later);
  };

  return {
    start: async () => {
      work = work.then(reload);
      await work;
      await content.settle();
      isStarted = true;
      return content.current();
    },
    current: content.current,
    isFound: () => isFound,
    problems: content.problems,
    warnings: content.warnings,
    stop: async () => {
      isStopped = true;
      debounced.cancel();
      await work;
      cancelRescan();
      watcher.close();
    },
  };
}

/** `ConfigMap mesh-system/mesh: data.mesh, the file /etc/mesh/config/mesh` */
function labelOf({ object, field }: NonNullable<WatchedFileOptions<unknown>['mountedFrom']>, file: string): string {
  return `${object.replace('/', ' ')}: ${field}, the file ${file}`;
}

/** Other files of its folder change without the file changing, but not the links it may lead through (`..data`). */
function concerns(changed: string | undefined, file: string): boolean {
  if (changed === undefined || path.dirname(changed) !== path.dirname(file)) return true;
  const name = path.basename(changed);
  return name === path.basename(file) || name.startsWith('..');
}

/** The folder of the file, and that of the file behind it when it is a link. */
async function watchDirectories(
  file: string,
  visit: ReturnType<typeof createDirectoryWatcher>['visit'],
): Promise<void> {
  const real = await realpath(file).catch(() => file);
  for (const directory of new Set([path.dirname(file), path.dirname(real)])) {
    const stats = await stat(directory).catch(() => undefined);
    if (stats !== undefined) visit(directory, stats);
  }
}
