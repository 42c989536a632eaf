import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import {
  exportedNamespaces,
  isOfMesh,
  meshHostsOf,
  otherThan,
  type TrafficIndex,
} from '../../traffic/traffic-index.js';

/** VirtualServices for sidecars with the same host: sidecars that see both use the routes of only one. */
export const overlappingRoutes: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) => {
    if (!isOfMesh(object)) return [];
    return meshHostsOf(object, index.domain).flatMap((host, at) => {
      const others = otherThan(object, index.meshRoutesOf(host)).filter((other) =>
        areSeenTogether(object, other, index),
      );
      if (others.length === 0) return [];
      const names = others.map(keyOf).sort();
      const shown = names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')} and others` : names.join(', ');
      const text = `${shown} has the host ${host} for sidecars too`;
      return [createMessage('overlappingRoutes', { object: keyOf(object), field: `spec.hosts[${at}]` }, text)];
    });
  },
};

const MAX_NAMED = 3;

function areSeenTogether(first: MeshObject, second: MeshObject, index: TrafficIndex): boolean {
  const [ofFirst, ofSecond] = [first, second].map((object) => exportedNamespaces(object, index));
  if (ofFirst === undefined || ofSecond === undefined) return false;
  return ofFirst.has('*') || ofSecond.has('*') || [...ofFirst].some((namespace) => ofSecond.has(namespace));
}
