/**
 * How an object reaches proxies: by the services and endpoints that are made of it and by nothing else
 * (`workload`), the same but its versions are tracked (`tracked`), or by itself (`config`).
 */
export type ObjectEffect = 'workload' | 'tracked' | 'config';

const EFFECTS: ReadonlyMap<string, ObjectEffect> = new Map<string, ObjectEffect>([
  ['Endpoints', 'workload'],
  ['EndpointSlice', 'workload'],
  ['Pod', 'workload'],
  ['Node', 'workload'],
  ['Service', 'tracked'],
  ['Namespace', 'tracked'],
  ['ServiceEntry', 'tracked'],
  ['WorkloadEntry', 'tracked'],
]);

export function effectOf(kind: string): ObjectEffect {
  return EFFECTS.get(kind) ?? 'config';
}

const CORE_KINDS: ReadonlySet<string> = new Set(['Service', 'Endpoints', 'EndpointSlice', 'Pod', 'Node', 'Namespace']);

/** Whether the kind is one of the mesh's own: those have revisions, and count as configuration updates. */
export function isMeshKind(kind: string): boolean {
  return !CORE_KINDS.has(kind);
}
