import type { PodBody } from '../../../config/core/pod.js';
import { GATEWAY_API_GROUP } from '../../../config/gateway-api/gateway-api-names.js';
import { apiVersionOf, type KindDefinition, modelKindOf } from '../../../config/kind-definition.js';
import type { KindRegistry } from '../../../config/kinds.js';
import { type MeshObject, objectKey } from '../../../config/object.js';
import { formatViolation } from '../../../config/violation.js';
import type { RawObject } from '../../../kubernetes/watch/raw-object.js';
import type { ObjectProblem } from './object-report.js';

export type ClusterReadResult =
  | { readonly type: 'object'; readonly object: MeshObject }
  | { readonly type: 'refused'; readonly problems: readonly ObjectProblem[] };

/**
 * Reads an object of the API server as an object of a folder is read: with the same schema, defaults and rules. Core
 * objects are validated too: it costs less than parsing their JSON, and an invalid address must reach no proxy.
 */
export function readClusterObject(raw: RawObject, definition: KindDefinition, kinds: KindRegistry): ClusterReadResult {
  // Items in a list of core objects have no kind and version.
  const complete = { ...raw, apiVersion: raw.apiVersion ?? apiVersionOf(definition), kind: definition.kind };
  const result = kinds.read(complete, { defaultNamespace: '', origin: 'cluster' });
  if (result.type === 'object') return { type: 'object', object: trimObject(result.object, kinds.meshDomain) };
  const { name, namespace = '' } = raw.metadata;
  const key = objectKey(modelKindOf(definition), namespace, name);
  if (result.type === 'unknown') {
    const reason = `its version ${result.apiVersion} is not read; write it in ${result.knownApiVersions.join(' or ')}`;
    return { type: 'refused', problems: [{ key, reason }] };
  }
  const problems = result.violations.map((violation) => ({
    key,
    ...(violation.path === '' ? {} : { field: violation.path }),
    reason: formatViolation(result.subject, violation),
  }));
  return { type: 'refused', problems };
}

/**
 * Removes the fields that the model does not read, beyond those that the schema leaves out. Of a core object only the
 * annotations of the mesh stay, and of a pod only the condition `Ready`. The other fields would take most of the memory
 * and cause most changes: an Endpoints object that serves as a lock changes an annotation every two seconds.
 */
function trimObject(object: MeshObject, meshDomain: string): MeshObject {
  if (isMeshGroup(object, meshDomain)) return object;
  const { generation, ...metadata } = object.metadata;
  // Conditions of the Gateway API name the generation that they are about.
  const hasConditions = object.apiVersion.startsWith(`${GATEWAY_API_GROUP}/`);
  const trimmed = {
    ...object,
    metadata: {
      ...metadata,
      ...(hasConditions && generation !== undefined ? { generation } : {}),
      annotations: meshAnnotations(metadata.annotations, meshDomain),
    },
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
