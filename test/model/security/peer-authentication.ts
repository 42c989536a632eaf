import { keyOf, type MeshObject, type ObjectKey } from '../../../src/config/object.js';
import { readYaml } from '../../config/support/read-yaml.js';

/** @param where `<namespace>/<name>` */
export function peerAuthentication(where: string, spec: object, creationTimestamp?: string): MeshObject {
  const [namespace, name] = where.split('/');
  const object = {
    apiVersion: 'security.mesh.internal/v1beta1',
    kind: 'PeerAuthentication',
    metadata: { namespace, name, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) },
    spec,
  };
  const result = readYaml(JSON.stringify(object));
  if (result.type !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
}

/** Objects as a snapshot has them. */
export function tableOf(objects: readonly MeshObject[]): ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>> {
  return new Map([['PeerAuthentication', new Map(objects.map((object) => [keyOf(object), object]))]]);
}
