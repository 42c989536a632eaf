import { keyOf, type MeshObject, type ObjectKey } from '../../../../src/config/object.js';
import { readYaml } from '../../../config/support/read-yaml.js';

/**
 * @param where `<namespace>/<name>`
 * @param year of its creation
 */
export function destinationRule(where: string, spec: object, year = 2020): MeshObject {
  const [namespace, name] = where.split('/');
  const object = {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'DestinationRule',
    metadata: { namespace, name, creationTimestamp: `${year}-01-01T00:00:00Z` },
    spec,
  };
  const result = readYaml(JSON.stringify(object));
  if (result.type !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
}

/** Objects as a snapshot has them. */
export function tableOf(objects: readonly MeshObject[]): ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>> {
  return new Map([['DestinationRule', new Map(objects.map((object) => [keyOf(object), object]))]]);
}
