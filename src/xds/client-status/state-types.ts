import type { EventKind } from './recent-events.js';

/**
 * The content of a type whose resources are connections. `proxies`: the nodes of connected proxies. `states`: also the
 * state of each of their resources. `contents`: also these resources, as far as the caller may see them. `ended`: the
 * nodes of proxies that disconnected. `rejections`: the newest rejections, with the type and the reason.
 */
export type StateDetail = 'proxies' | 'states' | 'contents' | 'ended' | 'rejections';

/** By the part of the type's name after the mesh domain. */
const DETAILS: Readonly<Record<string, StateDetail>> = {
  connections: 'proxies',
  disconnect: 'ended',
  nack: 'rejections',
  'debug/syncz': 'states',
  'debug/config_dump': 'contents',
};

/** The events after which a type is sent again. A client that is not one of events asks again for types of a state. */
export function eventsOf(detail: StateDetail, isEventClient: boolean): readonly EventKind[] {
  switch (detail) {
    case 'ended':
      return ['disconnect'];
    case 'rejections':
      return ['nack'];
    case 'proxies':
      return isEventClient ? ['connect', 'disconnect'] : [];
    case 'states':
    case 'contents':
      return [];
  }
}

/** The detail of a type such as `mesh.internal/debug/syncz`; undefined for every other type. */
export function stateDetailOf(typeUrl: string, meshDomain: string): StateDetail | undefined {
  const prefix = `${meshDomain}/`;
  if (!typeUrl.startsWith(prefix)) return undefined;
  const path = typeUrl.slice(prefix.length);
  return Object.hasOwn(DETAILS, path) ? DETAILS[path] : undefined;
}
