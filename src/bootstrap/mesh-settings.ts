import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.js';
import { revisionSuffix } from '../base/revision.js';
import type { MeshConfig } from '../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../config/mesh/mesh-networks.js';
import { createMeshConfigReader } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../config/mesh/read-mesh-networks.js';
import { objectKey } from '../config/object.js';
import { createSchemaCompiler } from '../config/schema/schema-reader.js';
import { joinFields, type SettingsFields, type SettingsReader } from '../config/settings-reader.js';
import type { ConfigProblem } from '../introspection/views.js';
import type { SettingsCustody } from '../sources/settings/settings-custody.js';
import { createWatchedConfigMap, type WatchedConfigMap } from '../sources/settings/watched-config-map.js';
import type { Logger } from '../telemetry/logger.js';
import type { ClusterConnection } from './cluster-connection.js';
import type { Options } from './options.js';
import {
  createMountedFrom,
  createSettingsFile,
  type MountedFromOf,
  readInstallationDefaults,
  settingsProblems,
} from './settings-file.js';
import type { SettingsKeeper } from './settings-keeper.js';

/** Mesh config and mesh networks, from files or from the cluster. */
export interface MeshSettings {
  /**
   * Settles with the first settings: defaults where there are none, and the last usable content where the present one
   * cannot be used.
   *
   * @throws ClusterAccessError when a file is missing, and there is no cluster either; SettingsRefusedError when a
   *   content cannot be used, and no earlier one is known
   */
  start(): Promise<{ readonly mesh: MeshConfig; readonly networks: MeshNetworks }>;
  stop(): Promise<void>;
  problems(): readonly ConfigProblem[];
}

export interface MeshSettingsParts {
  /** The cluster whose ConfigMap is read; undefined when no cluster is read. */
  readonly connection: ClusterConnection | undefined;
  readonly keeper: Pick<SettingsKeeper, 'custodyOf'>;
  /** Scope `source`. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called for changes after the start. */
  readonly onMesh: (mesh: MeshConfig) => void;
  readonly onNetworks: (networks: MeshNetworks) => void;
}

/**
 * Reads --meshConfig and --networksConfig (docs/reference/sources.md#settings). Where a cluster is read and the file
 * does not exist, the settings come from the keys `mesh` and `meshNetworks` of a ConfigMap in the control plane's
 * namespace: `mesh`, or `mesh-<REVISION>` with a revision. The file takes precedence, even if it appears later, as soon
 * as it is valid.
 */
export function createMeshSettings(options: Options, parts: MeshSettingsParts): MeshSettings {
  const { discovery, environment } = options;
  const { connection, logger } = parts;
  const { podName, revision } = environment;
  const place = { namespace: discovery.namespace, name: `mesh${revisionSuffix(revision)}` };
  const configMap =
    connection &&
    createWatchedConfigMap({
      ...place,
      createWatcher: async () => (await connection.open()).createWatcher(logger),
      logger,
    });
  const compiler = createSchemaCompiler();
  const mountedFrom = createMountedFrom({ podName, namespace: discovery.namespace, revision });
  const common = { ...parts, configMap, mountedFrom, object: objectKey('ConfigMap', place.namespace, place.name) };
  const mesh = createSetting({
    ...common,
    file: discovery.meshConfigFile,
    key: 'mesh',
    custody: parts.keeper.custodyOf('mesh'),
    ...readInstallationDefaults(
      'NAV_MESH_CONFIG_DEFAULTS',
      installationDefaults(options),
      createMeshConfigReader(compiler),
      ['defaultConfig'],
    ),
    onChange: parts.onMesh,
  });
  const networks = createSetting({
    ...common,
    file: discovery.networksConfigFile,
    key: 'meshNetworks',
    custody: parts.keeper.custodyOf('meshNetworks'),
    read: createMeshNetworksReader(compiler),
    defaults: createDefaultMeshNetworks(),
    onChange: parts.onNetworks,
  });
  return {
    start: async () => {
      // One after the other, so that the error is that of the mesh config when both are refused.
      await mesh.startFile();
      await networks.startFile();
      if (!(mesh.isFile() && networks.isFile())) await configMap?.start();
      await mesh.settle();
      await networks.settle();
      return { mesh: mesh.begin(), networks: networks.begin() };
    },
    stop: async () => {
      await Promise.all([configMap?.stop(), mesh.stop(), networks.stop()]);
    },
    problems: () => [...mesh.problems(), ...networks.problems()],
  };
}

interface SettingOptions<Value> extends Pick<MeshSettingsParts, 'logger' | 'clock'> {
  readonly file: string;
  readonly configMap: WatchedConfigMap | undefined;
  readonly mountedFrom: MountedFromOf;
  /** Object key of the ConfigMap, for problems. */
  readonly object: string;
  readonly key: string;
  readonly read: SettingsReader<Value>;
  readonly defaults: Value;
  readonly custody: SettingsCustody;
  readonly onChange: (value: Value) => void;
}

/** One setting, from the file or from the entry of the ConfigMap. */
function createSetting<Value>({
  file,
  configMap,
  mountedFrom,
  object,
  key,
  onChange,
  ...options
}: SettingOptions<Value>) {
  const { logger } = options;
  let inForce = options.defaults;
  let hasBegun = false;
  const current = (): Value => (entry === undefined || fromFile.isFound() ? fromFile.current() : entry.current());
  const changed = (): void => {
    const value = current();
    if (!hasBegun || isDeepStrictEqual(value, inForce)) return;
    inForce = value;
    onChange(value);
  };
  const entry = configMap?.entry({ ...options, key, onChange: changed });
  const fromFile = createSettingsFile({
    ...options,
    file,
    mountedFrom,
    onChange: changed,
    ...(entry === undefined
      ? {}
      : {
          onFound: () => {
            logger.info({ file, instead: object }, 'settings are read from a file now');
            changed();
          },
        }),
  });

  const tellSource = (): void => {
    if (entry === undefined) return;
    if (fromFile.isFound()) logger.info({ setting: key, file }, 'settings are read from a file');
    else if (entry.exists()) logger.info({ setting: key, object }, 'settings are read from a ConfigMap');
    else logger.info({ setting: key, file, object }, 'settings do not exist, defaults are used until they do');
  };

  return {
    startFile: fromFile.start,
    isFile: fromFile.isFound,
    settle: async (): Promise<void> => {
      if (entry === undefined || fromFile.isFound()) return;
      await entry.settle();
      if (!entry.exists() && entry.problems().length === 0) options.custody.forget();
    },
    begin: (): Value => {
      tellSource();
      hasBegun = true;
      inForce = current();
      return inForce;
    },
    stop: fromFile.stop,
    problems: (): readonly ConfigProblem[] => [
      ...fromFile.problems(),
      ...(entry === undefined || fromFile.isFound() ? [] : settingsProblems({ object, field: `data.${key}` }, entry)),
    ],
  };
}

/** NAV_MESH_CONFIG_DEFAULTS, and below it the time that TERMINATION_DRAIN_DURATION_SECONDS gives to the proxies of new pods. */
function installationDefaults({ environment, explicit }: Options): SettingsFields {
  const { navMeshConfigDefaults, terminationDrainDurationSeconds } = environment;
  if (!explicit.has('TERMINATION_DRAIN_DURATION_SECONDS')) return navMeshConfigDefaults;
  const terminationDrainDuration = `${terminationDrainDurationSeconds}s`;
  return joinFields({ defaultConfig: { terminationDrainDuration } }, navMeshConfigDefaults);
}
