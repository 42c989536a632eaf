import path from 'node:path';
import { revisionSuffix } from '../base/revision.js';
import { type ObjectKey, objectKey } from '../config/object.js';
import { type SettingsFields, type SettingsReader, withDefaults } from '../config/settings-reader.js';
import { formatFinding } from '../config/violation.js';
import type { ConfigProblem } from '../introspection/views.js';
import { createWatchedFile, type WatchedFile, type WatchedFileOptions } from '../sources/file/watched-file.js';
import { SettingsRefusedError } from '../sources/settings/settings-refused-error.js';

/** A settings file, read at the start and again whenever it changes. */
export interface SettingsFile<Value> extends Omit<WatchedFile<Value>, 'problems' | 'warnings'> {
  /** Why the present content of the file is not in force, and which of its fields have no effect. */
  problems(): readonly ConfigProblem[];
}

export function createSettingsFile<Value>(
  options: Omit<WatchedFileOptions<Value>, 'mountedFrom'> & { readonly mountedFrom?: MountedFromOf | undefined },
): SettingsFile<Value> {
  const { file } = options;
  const mountedFrom = options.mountedFrom?.(file);
  const watched = createWatchedFile({ ...options, mountedFrom });
  return { ...watched, problems: () => settingsProblems({ file, ...mountedFrom }, watched) };
}

/**
 * Problems of settings, for debug pages and statuses.
 *
 * @param place of the settings: their file, or the ConfigMap and its entry
 */
export function settingsProblems(
  place: Pick<ConfigProblem, 'file' | 'object' | 'field'>,
  watched: Pick<WatchedFile<unknown>, 'problems' | 'warnings'>,
): readonly ConfigProblem[] {
  return [
    ...watched.problems().map((reason) => ({ ...place, reason })),
    ...watched.warnings().map((reason) => ({ level: 'Warn' as const, ...place, reason })),
  ];
}

/** The key of a ConfigMap that a file comes from. */
export interface MountedFrom {
  readonly object: ObjectKey;
  /** `data.<key>` */
  readonly field: string;
}

/** Says from which ConfigMap a file is mounted; undefined for a file that is on no volume of `manifests/`. */
export type MountedFromOf = (file: string) => MountedFrom | undefined;

/** The volumes of manifests/50-deployment.yaml: the ConfigMaps of a folder, and the keys of each where several share one. */
const VOLUMES: Readonly<Record<string, (key: string) => string>> = {
  '/etc/mesh/config': (key) => (key === 'policy' ? 'mesh-policy' : 'mesh'),
  '/var/lib/mesh/inject': () => 'mesh-sidecar-injector',
  '/var/lib/mesh/inject-defaults': () => 'mesh-sidecar-injector-defaults',
};

export interface MountPlace {
  /** POD_NAME; empty outside of a pod. */
  readonly podName: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** REVISION */
  readonly revision: string;
}

/**
 * In a pod of `manifests/`, settings files are keys of ConfigMaps. Errors name the ConfigMap that users have to correct.
 *
 * Each revision has ConfigMaps of its own.
 */
export function createMountedFrom({ podName, namespace, revision }: MountPlace): MountedFromOf {
  return (file) => {
    const resolved = path.resolve(file);
    const key = path.basename(resolved);
    const name = podName === '' ? undefined : VOLUMES[path.dirname(resolved)]?.(key);
    return name === undefined
      ? undefined
      : { object: objectKey('ConfigMap', namespace, `${name}${revisionSuffix(revision)}`), field: `data.${key}` };
  };
}

export interface InstallationDefaults<Value> {
  /** Reads settings; fields that they leave out come from the defaults. */
  readonly read: SettingsReader<Value>;
  /** In force where there are no settings. */
  readonly defaults: Value;
}

/**
 * Reads the defaults that an installation gives to settings of users. A later version of the installation can bring other
 * defaults without changing the users' settings.
 *
 * @param variable name of the variable with the defaults
 * @param joined see withDefaults
 * @throws SettingsRefusedError when the defaults are invalid, or have a field without effect
 */
export function readInstallationDefaults<Value>(
  variable: string,
  fields: SettingsFields,
  read: SettingsReader<Value>,
  joined: readonly string[] = [],
): InstallationDefaults<Value> {
  const result = read(fields);
  const violations = result.type === 'invalid' ? result.violations : result.warnings;
  if (result.type === 'invalid' || violations.length > 0) {
    throw new SettingsRefusedError(variable, violations.map(formatFinding));
  }
  return { read: withDefaults(read, fields, joined), defaults: result.value };
}
