import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { KindRegistry } from '../../config/kinds.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import type { ChangeBatch } from '../../model/object-change.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Source } from '../source.js';
import { SourceError } from '../source-error.js';
import { createDebounced } from './debounced.js';
import { createDirectoryWatcher } from './directory-watcher.js';
import type { FileReport } from './file-report.js';
import { createFolderLoader } from './folder-loader.js';
import { createFolderState } from './folder-state.js';
import { createDocumentReader } from './read-documents.js';
import { createReportLog } from './report-log.js';
import { isGone } from './scan-directory.js';

export interface FileSourceOptions {
  /** `--configDir`; must exist when the source starts. */
  readonly directory: string;
  /** The cluster to which the objects belong. */
  readonly cluster: string;
  readonly kinds: KindRegistry;
  /** Namespace of namespaced objects without one. */
  readonly defaultNamespace: string;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called with all present problems when one of them changes. */
  readonly onReport?: (reports: readonly FileReport[]) => void;
  /** Quiet time before a change is read, in milliseconds (docs/reference/sources.md#file-source: 50). */
  readonly debounceMs?: number;
  /** The folder is scanned this often, even without a reported change, in milliseconds. Default 30 s. */
  readonly rescanMs?: number;
}

export interface FileSource extends Source {
  /** The present problems of the folder. */
  reports(): readonly FileReport[];
}

const DEFAULT_DEBOUNCE_MS = 50;
const MAX_DEBOUNCE_MS = 500;
const DEFAULT_RESCAN_MS = 30_000;
/** Interval of scans while the system reports no changes: the folder is missing, or the system has no watches left. */
const BLIND_RESCAN_MS = 1_000;

/**
 * Reads objects from a folder of YAML and JSON files and follows its changes (docs/reference/sources.md#file-source). A
 * file counts as a whole: while one document in it is wrong, the file is reported and its last valid state is served.
 * While the folder is missing, its last state is served.
 */
export function createFileSource(options: FileSourceOptions): FileSource {
  const { cluster, kinds, defaultNamespace, logger, clock } = options;
  const directory = path.resolve(options.directory);
  const state = createFolderState(createDocumentReader({ kinds, defaultNamespace, parse: createYamlParser() }));
  const reportLog = createReportLog(options);
  const watcher = createDirectoryWatcher((file) => {
    if (isBeside(file, directory) && file !== directory) return;
    loader.hint(file);
    debounced.trigger();
  });
  const loader = createFolderLoader({ directory, state, watcher, logger });
  const debounced = createDebounced(() => void runLater(), {
    clock,
    quietMs: options.debounceMs ?? DEFAULT_DEBOUNCE_MS,
    maxMs: Math.max(MAX_DEBOUNCE_MS, options.debounceMs ?? 0),
  });
  let deliver: (batch: ChangeBatch) => void = () => {};
  let running: Promise<void> | undefined;
  let stopped = false;
  let cancelRescan = (): void => {};

  const reconcile = async (): Promise<void> => {
    const { problems: folderProblems, isBlind, isComplete } = await loader.load();
    if (stopped) return;
    const { changes, problems, mistaken } = state.settle();
    reportLog.update([...folderProblems, ...problems], mistaken);
    if (changes.length > 0) deliver({ cluster, changes });
    if (!isComplete) return;
    cancelRescan();
    const usualMs = options.rescanMs ?? DEFAULT_RESCAN_MS;
    cancelRescan = clock.schedule(isBlind ? Math.min(BLIND_RESCAN_MS, usualMs) : usualMs, () => {
      loader.hint(undefined);
      void runLater();
    });
  };

  /** One reconciliation runs at a time. A hint during it starts the next one, through the debounce. */
  const runLater = async (): Promise<void> => {
    if (running !== undefined) {
      await running.catch(() => {});
      if (!stopped) debounced.trigger();
      return;
    }
    running = reconcile()
      .catch((err: unknown) => {
        logger.error({ err, directory }, 'the configuration folder could not be read');
        loader.hint(undefined);
        cancelRescan();
        cancelRescan = clock.schedule(BLIND_RESCAN_MS, () => void runLater());
      })
      .finally(() => {
        running = undefined;
      });
    await running;
  };

  return {
    name: `file:${directory}`,
    start: async (deliverBatch) => {
      await requireDirectory(directory);
      deliver = deliverBatch;
      loader.hint(undefined);
      running = reconcile().finally(() => {
        running = undefined;
      });
      try {
        await running;
      } catch (error) {
        stopped = true;
        debounced.cancel();
        watcher.close();
        throw error;
      }
    },
    stop: async () => {
      stopped = true;
      debounced.cancel();
      watcher.close();
      await running?.catch(() => {});
      cancelRescan();
      watcher.close();
    },
    reports: () => reportLog.reports(),
  };
}

/** The folder's parent is watched for the folder itself; changes of other entries are ignored. */
function isBeside(file: string | undefined, directory: string): boolean {
  return file !== undefined && path.dirname(file) === path.dirname(directory);
}

async function requireDirectory(directory: string): Promise<void> {
  try {
    const stats = await stat(directory);
    if (!stats.isDirectory()) {
      const message = `${directory} is not a folder; name the folder that holds the YAML files with --configDir`;
      throw new SourceError('NOT_A_DIRECTORY', message);
    }
    await access(directory, constants.R_OK | constants.X_OK);
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    if (isGone(cause)) {
      const message = `the configuration folder ${directory} does not exist; create it, or name another with --configDir`;
      throw new SourceError('DIRECTORY_MISSING', message, { cause });
    }
    const message = `the configuration folder ${directory} cannot be read (${errorText(cause)}); allow this user to read it`;
    throw new SourceError('DIRECTORY_UNREADABLE', message, { cause });
  }
}
