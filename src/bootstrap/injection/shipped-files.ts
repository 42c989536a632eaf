import path from 'node:path';
import {
  type InjectionConfig,
  type InjectionValues,
  readInjectionValues,
} from '../../config/injection/injection-config.js';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { ConfigProblem } from '../../introspection/views.js';
import { createWatchedFile, type WatchedFileOptions } from '../../sources/file/watched-file.js';
import type { MountedFromOf } from '../mounted-settings.js';
import { settingsProblems } from '../settings-problems.js';

/** The files of the injector as an installation ships them. Users set what differs in files of their own. */
export interface ShippedFiles {
  /** Undefined where there is none. */
  config(): InjectionConfig | undefined;
  values(): InjectionValues;
  /** @throws SettingsRefusedError when one cannot be used */
  start(): Promise<void>;
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

type Watched = Pick<WatchedFileOptions<unknown>, 'clock' | 'logger' | 'debounceMs'> & { onChange(): void };

/** @param directory of the files; undefined for none */
export function createShippedFiles(
  directory: string | undefined,
  read: SettingsReader<InjectionConfig>,
  watched: Watched,
  mountedFrom: MountedFromOf,
): ShippedFiles {
  if (directory === undefined) return NO_FILES;
  const files = { config: path.join(directory, 'config'), values: path.join(directory, 'values') };
  const config = createWatchedFile<InjectionConfig | undefined>({
    ...watched,
    file: files.config,
    mountedFrom: mountedFrom(files.config),
    read,
    defaults: undefined,
  });
  const values = createWatchedFile<InjectionValues>({
    ...watched,
    file: files.values,
    mountedFrom: mountedFrom(files.values),
    read: readInjectionValues,
    defaults: {},
  });
  return {
    config: config.current,
    values: values.current,
    start: async () => {
      await Promise.all([config.start(), values.start()]);
    },
    problems: () => [
      ...settingsProblems({ file: files.config, ...mountedFrom(files.config) }, config),
      ...settingsProblems({ file: files.values, ...mountedFrom(files.values) }, values),
    ],
    stop: async () => {
      await Promise.all([config.stop(), values.stop()]);
    },
  };
}

const NO_FILES: ShippedFiles = {
  config: () => undefined,
  values: () => ({}),
  start: async () => undefined,
  problems: () => [],
  stop: async () => undefined,
};
