import { apiVersionOf, type KindDefinition } from '../../../config/kind-definition.js';
import type { KindRegistry } from '../../../config/kinds.js';
import { type MeshObject, objectKey } from '../../../config/object.js';
import { formatViolation } from '../../../config/violation.js';
import type { RawObject } from '../../../kubernetes/watch/raw-object.js';
import type { ObjectProblem } from './object-report.js';
import { trimObject } from './trim-object.js';

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
  const key = objectKey(definition.kind, namespace, name);
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
