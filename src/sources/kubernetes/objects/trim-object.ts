import type { PodBody } from '../../../config/core/pod.js';
import type { MeshObject } from '../../../config/object.js';

/**
 * What the model reads of an object, beyond what its schema leaves out already: of a core object the annotations of
 * the mesh alone, of a pod the condition that counts. The rest would be most of what is kept, and of what changes: an
 * Endpoints object that is a lock changes an annotation every two seconds.
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

/** Those whose prefix is the mesh domain or below it, such as `networking.mesh.internal/exportTo`. */
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
