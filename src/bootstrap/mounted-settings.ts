import path from 'node:path';
import { type ObjectKey, objectKey } from '../config/object.js';

/** The key of a ConfigMap that a file comes from. */
export interface MountedFrom {
  readonly object: ObjectKey;
  /** `data.<key>` */
  readonly field: string;
}

/** Undefined for a file that is on no volume of `manifests/`. */
export type MountedFromOf = (file: string) => MountedFrom | undefined;

/** The volumes of manifests/50-deployment.yaml: the ConfigMaps of a folder, and the keys of each where several share one. */
const VOLUMES: Readonly<Record<string, (key: string) => string>> = {
  '/etc/mesh/config': (key) => (key === 'policy' ? 'mesh-policy' : 'mesh'),
  '/var/lib/mesh/inject': () => 'mesh-sidecar-injector',
  '/var/lib/mesh/inject-defaults': () => 'mesh-sidecar-injector-defaults',
};

/**
 * Says which ConfigMap users have to correct when a settings file is refused: in a pod of `manifests/` the files are keys
 * of ConfigMaps.
 *
 * @param podName empty outside of a pod
 */
export function createMountedFrom(podName: string, namespace: string): MountedFromOf {
  return (file) => {
    const resolved = path.resolve(file);
    const key = path.basename(resolved);
    const name = podName === '' ? undefined : VOLUMES[path.dirname(resolved)]?.(key);
    return name === undefined ? undefined : { object: objectKey('ConfigMap', namespace, name), field: `data.${key}` };
  };
}
