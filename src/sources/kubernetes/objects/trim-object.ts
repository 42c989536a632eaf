import type { PodBody } from '../../../config/core/pod.js';
import type { MeshObject } from '../../../config/object.js';

/**
 * Removes the fields that the model does not read, beyond those that the schema leaves out. Of a core object only the
 * annotations of the mesh stay, and of a pod only the condition `Ready`. The other fields would take most of the memory
 * and cause most changes: an Endpoints object that serves as a lock changes an annotation every two seconds.
 */
export function trimObject(object: MeshObject, meshDomain: string): MeshObject {
  if (isMeshGroup(object, meshDomain)) return object;
  const { generation: _, ...metadata } = object.metadata;
  const trimmed = {
    ...object,
    metadata: { ...metadata, annotations: meshAnnotations(metadata.annotations, meshDomain) },
  };
  return object.kind === 'Pod' ? { ...trimmed, body: trimPod(object.body as PodBody) } : trimmed;
}

const NO_ANNOTATIONS: MeshObject['metadata']['annotations'] = Object.freeze({});

function isMeshGroup({ apiVersion }: MeshObject, meshDomain: string): boolean {
  return apiVersion.split('/')[0]?.endsWith(`.${meshDomain}`) === true;
}

/** Annotations whose prefix is the mesh domain or a subdomain, such as `networking.mesh.internal/exportTo`. */
function meshAnnotations(
  annotations: MeshObject['metadata']['annotations'],
  meshDomain: string,
): MeshObject['metadata']['annotations'] {
  const kept = Object.entries(annotations).filter(([key]) => {
    const prefix = key.slice(0, Math.max(0, key.indexOf('/')));
    return prefix === meshDomain || prefix.endsWith(`.${meshDomain}`);
  });
  return kept.length === 0 ? NO_ANNOTATIONS : Object.fromEntries(kept);
}

function trimPod({ spec, status }: PodBody): PodBody {
  return { spec, status: { ...status, conditions: status.conditions.filter(({ type }) => type === 'Ready') } };
}
