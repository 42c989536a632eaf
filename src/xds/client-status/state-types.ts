/**
 * The content of a type whose resources are the connected proxies. `proxies`: their nodes. `states`: also the state of
 * each of their resources. `contents`: also these resources, as far as the caller may see them.
 */
export type StateDetail = 'proxies' | 'states' | 'contents';

/** By the part of the type's name after the mesh domain. */
const DETAILS: Readonly<Record<string, StateDetail>> = {
  connections: 'proxies',
  'debug/syncz': 'states',
  'debug/config_dump': 'contents',
};

/** The detail of a type such as `mesh.internal/debug/syncz`; undefined for every other type. */
export function stateDetailOf(typeUrl: string, meshDomain: string): StateDetail | undefined {
  const prefix = `${meshDomain}/`;
  if (!typeUrl.startsWith(prefix)) return undefined;
  const path = typeUrl.slice(prefix.length);
  return Object.hasOwn(DETAILS, path) ? DETAILS[path] : undefined;
}
