import path from 'node:path';
import { type InjectionValues, readInjectionValues } from '../../config/injection/injection-config.js';
import type { SettingsReader } from '../../config/settings-reader.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { WatchedFileOptions } from '../../sources/file/watched-file.js';
import { createSettingsFile, type MountedFromOf } from '../settings-file.js';
import type { SettingsKeeper } from '../settings-keeper.js';

/** The files `config` and `values` of one folder. */
export interface InjectionFiles<Config> {
  /** Undefined where there is no such file. */
  config(): Config | undefined;
  values(): InjectionValues;
  /** @throws SettingsRefusedError when a file cannot be used */
  start(): Promise<void>;
  problems(): readonly ConfigProblem[];
  stop(): Promise<void>;
}

export interface InjectionFilesOptions<Config>
  extends Pick<WatchedFileOptions<unknown>, 'clock' | 'logger' | 'debounceMs'> {
  /** Folder of the files; undefined: there are none. */
  readonly directory: string | undefined;
  readonly readConfig: SettingsReader<Config>;
  readonly mountedFrom: MountedFromOf | undefined;
  /** Keeps the last content that could be used; undefined for files that an installation ships. */
  readonly keeper?: Pick<SettingsKeeper, 'custodyOf'>;
  /** Called after a file has changed. */
  onChange(): void;
}

export function createInjectionFiles<Config>(options: InjectionFilesOptions<Config>): InjectionFiles<Config> {
  const { directory, readConfig, keeper, onChange, ...watched } = options;
  if (directory === undefined) return NO_FILES;
  const config = createSettingsFile<Config | undefined>({
    ...watched,
    file: path.join(directory, 'config'),
    read: readConfig,
    defaults: undefined,
    custody: keeper?.custodyOf('injectionConfig'),
    onChange,
  });
  const values = createSettingsFile<InjectionValues>({
    ...watched,
    file: path.join(directory, 'values'),
    read: readInjectionValues,
    defaults: {},
    custody: keeper?.custodyOf('injectionValues'),
    onChange,
  });
  return {
    config: config.current,
    values: values.current,
    start: async () => {
      await Promise.all([config.start(), values.start()]);
    },
    problems: () => [...config.problems(), ...values.problems()],
    stop: async () => {
      await Promise.all([config.stop(), values.stop()]);
    },
  };
}

const NO_FILES: InjectionFiles<never> = {
  config: () => undefined,
  values: () => ({}),
  start: async () => undefined,
  problems: () => [],
  stop: async () => undefined,
};
