import { keyOf, type MeshObject } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import { isOfMesh, meshHostsOf, otherThan, type TrafficIndex } from '../../traffic/traffic-index.js';
import type { VirtualServicePart } from '../../traffic/traffic-specs.js';

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
  const [ofFirst, ofSecond] = [first, second].map((object) => exportedTo(object, index));
  if (ofFirst === undefined || ofSecond === undefined) return false;
  return ofFirst.has('*') || ofSecond.has('*') || [...ofFirst].some((namespace) => ofSecond.has(namespace));
}

function exportedTo({ body, metadata }: MeshObject, { mesh }: TrafficIndex): ReadonlySet<string> {
  const { exportTo = [] } = body as VirtualServicePart;
  const inForce = exportTo.length > 0 ? exportTo : mesh.defaultVirtualServiceExportTo;
  const namespaces = inForce.length > 0 ? inForce : ['*'];
  return new Set(namespaces.map((namespace) => (namespace === '.' ? metadata.namespace : namespace)));
}
