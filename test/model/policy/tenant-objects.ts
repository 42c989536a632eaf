import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { MESH } from '../../generators/context-builder.js';
import { policyObject } from '../../status/analysis/support.js';
import { batch, otherObject, service, snapshot, storeWith } from '../mesh-objects.js';

/** An object as an API server has it: `Kind namespace/name {spec}`. */
export function ofCluster(line: string): MeshObject {
  return { ...policyObject(line), origin: 'cluster' };
}

/** A Namespace that lets bindings of the others act on it; undefined: none. */
export function namespaceThatGrants(name: string, grants?: string): MeshObject {
  const annotations = grants === undefined ? {} : { 'policy.mesh.internal/bindings-from': grants };
  return otherObject('Namespace', `/${name}`, { annotations });
}

/** Service `web` in each of these namespaces. */
export const TENANTS: readonly MeshObject[] = ['shop', 'bank', 'evil'].map((namespace) => service(`${namespace}/web`));

export interface TenantMesh {
  readonly store: MeshStore;
  readonly context: PushContext;
}

/** A mesh of the tenants with these objects beside. */
export function tenantMesh(objects: readonly MeshObject[], mesh: Partial<MeshConfig> = {}): TenantMesh {
  const store = storeWith({}, { mesh: { ...MESH, ...mesh } });
  store.apply(batch(...TENANTS, ...objects));
  return { store, context: snapshot(store) };
}
