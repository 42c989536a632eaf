import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { Logger } from '../../telemetry/logger.js';
import { createSettingsContent, type SettingsContent } from '../settings/settings-content.js';
import type { SettingsCustody } from '../settings/settings-custody.js';
import { createDebounced } from './debounced.js';
import { createDirectoryWatcher } from './directory-watcher.js';
import { identityOf, isGone } from './scan-directory.js';

export interface WatchedFileOptions<Value> {
  /** The file to watch. It need not exist. */
  readonly file: string;
  /** The key of the ConfigMap that is mounted as the file. Errors and logs name it too. */
  readonly mountedFrom?: { readonly object: string; readonly field: string } | undefined;
  readonly read: SettingsReader<Value>;
  /** In force until the file exists for the first time. */
  readonly defaults: Value;
  readonly custody?: SettingsCustody | undefined;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called when the value changes; not called for the first value. */
  readonly onChange: (value: Value) => void;
  /**
   * Set when settings can come from another place while there is no file. Called when a file that was missing at the
   * start has appeared and is valid. `onChange` follows when its value differs from the defaults.
   */
  readonly onFound?: () => void;
  /** Quiet time before a change is read, in milliseconds. Default 50. */
  readonly debounceMs?: number;
  /** The file is looked at this often, even without a reported change, in milliseconds. Default 10 s. */
  readonly rescanMs?: number;
}

/** One settings file that is read at the start and again whenever it changes. */
export interface WatchedFile<Value> extends Pick<SettingsContent<Value>, 'current' | 'problems' | 'warnings'> {
  /**
   * Settles with the first value: of the file, or the defaults when it is missing. If the file cannot be used, the last
   * usable content takes its place.
   *
   * @throws SettingsRefusedError when no usable content is known
   */
  start(): Promise<Value>;
  /** Whether the file existed at the start, usable or not, or has been valid since. It may have been removed again. */
  isFound(): boolean;
  stop(): Promise<void>;
}

const DEFAULT_DEBOUNCE_MS = 50;
const MAX_DEBOUNCE_MS = 500;
const DEFAULT_RESCAN_MS = 10_000;

/**
 * Watches a settings file (docs/reference/sources.md#settings). A file that is missing at the start means the defaults.
 * A file that cannot be used at the start is replaced by the last usable content, or the start fails. A later bad or
 * removed file is logged, and the last valid value stays in force.
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
      // Reading a FIFO would wait for a writer without end.
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

/** Changes of other files in the folder are ignored, except of links that the file leads through (`..data`). */
function concerns(changed: string | undefined, file: string): boolean {
  if (changed === undefined || path.dirname(changed) !== path.dirname(file)) return true;
  const name = path.basename(changed);
  return name === path.basename(file) || name.startsWith('..');
}

/** The folder of the file and, for a link, the folder of its target. */
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
