import { meshGroups } from './manifests.js';

/** A rule of RBAC. */
export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The kinds of the mesh, and the Ingresses of Kubernetes. */
export const CONFIG_RULES: readonly RbacRule[] = [
  { apiGroups: meshGroups(), resources: ['*'], verbs: ['list', 'watch'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: ['list', 'watch'] },
];

/** All that the source of a cluster reads. */
export const READER_RULES: readonly RbacRule[] = [
  { apiGroups: [''], resources: ['services', 'endpoints', 'pods', 'nodes', 'namespaces'], verbs: ['list', 'watch'] },
  ...CONFIG_RULES,
];
