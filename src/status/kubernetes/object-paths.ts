import type { ObservedObject } from './observed-objects.js';

type Place = Pick<ObservedObject<unknown>, 'definition' | 'apiVersion' | 'namespace' | 'name'>;

/** URL path of the list that has the object. */
export function collectionPath({ definition, apiVersion, namespace }: Omit<Place, 'name'>): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${apiVersion}${scope}/${definition.plural}`;
}

/** URL path of the object's status. */
export function statusPath(object: Place): string {
  return `${collectionPath(object)}/${encodeURIComponent(object.name)}/status`;
}
