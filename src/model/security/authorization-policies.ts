import { createHash } from 'node:crypto';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import { MAX_WORKLOAD_POLICY_BYTES, policyBytes } from '../../config/security/authorization-policy-size.js';
import { memoize } from '../memo.js';
import { compareText } from '../service-order.js';
import { isSelected, type Labels, type SelectedLabels } from './namespace-mutual-tls.js';
import { selectedLabels } from './oldest-first.js';

/** The AuthorizationPolicies of one workload. The same object while they stay the same. */
export interface WorkloadAuthorization {
  /** Equal ones have equal keys. Empty without policies. */
  readonly key: string;
  /** Sorted by object key. */
  readonly policies: readonly AuthorizationPolicy[];
  /** Whether the policies together take more than MAX_WORKLOAD_POLICY_BYTES: then the workload rejects everything. */
  readonly isTooLarge: boolean;
}

export interface AuthorizationPolicy {
  readonly name: string;
  readonly namespace: string;
  readonly spec: AuthorizationPolicySpec;
}

/**
 * The AuthorizationPolicies of a snapshot, by workload: those of its namespace and of the root namespace that select it
 * (docs/reference/xds.md#authorization). The same object while no policy changes.
 */
export interface AuthorizationPolicies {
  ofWorkload(namespace: string, labels: Labels): WorkloadAuthorization;
  /** Whether the policies would be too large for a workload of the namespace that all of them select. */
  canBeTooLarge(namespace: string): boolean;
}

/** The parts of a snapshot that the index is made from. */
export interface AuthorizationPolicySource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type AuthorizationPolicyIndexer = (source: AuthorizationPolicySource) => AuthorizationPolicies;

interface Entry extends AuthorizationPolicy {
  /** Object key and hash of the spec. */
  readonly key: string;
  readonly labels: SelectedLabels;
  /** Estimated size of its rules in one filter. */
  readonly bytes: number;
}

const NONE: WorkloadAuthorization = { key: '', policies: [], isTooLarge: false };

export function createAuthorizationPolicyIndexer(): AuthorizationPolicyIndexer {
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let rootNamespace: string | undefined;
  let index: AuthorizationPolicies | undefined;
  let lists = new Map<string, WorkloadAuthorization>();
  const entryOf = memoize(readEntry);
  return ({ objects, mesh }) => {
    const next = objects.get('AuthorizationPolicy');
    if (index !== undefined && next === table && mesh.rootNamespace === rootNamespace) return index;
    table = next;
    rootNamespace = mesh.rootNamespace;
    const known = lists;
    lists = new Map();
    index = createIndex(Array.from(table?.values() ?? [], entryOf), mesh.rootNamespace, known, lists);
    return index;
  };
}

/**
 * @param known lists of the index before, by key
 * @param lists is given the lists of this one
 */
function createIndex(
  entries: readonly Entry[],
  rootNamespace: string,
  known: ReadonlyMap<string, WorkloadAuthorization>,
  lists: Map<string, WorkloadAuthorization>,
): AuthorizationPolicies {
  const byNamespace = new Map<string, Entry[]>();
  // Sorted once: a push asks for every proxy.
  const sorted = [...entries].sort((first, second) => compareText(first.key, second.key));
  for (const entry of sorted) {
    const others = byNamespace.get(entry.namespace);
    if (others === undefined) byNamespace.set(entry.namespace, [entry]);
    else others.push(entry);
  }
  const entriesOf = (namespace: string): readonly Entry[] => byNamespace.get(namespace) ?? [];
  const candidatesOf = (namespace: string): readonly Entry[] =>
    namespace === rootNamespace ? entriesOf(namespace) : [...entriesOf(rootNamespace), ...entriesOf(namespace)];
  const listOf = (namespace: string, labels: Labels): WorkloadAuthorization => {
    const policies = candidatesOf(namespace).filter((entry) => isSelected(labels, entry.labels));
    if (policies.length === 0) return NONE;
    const key = hashOf(policies.map((policy) => policy.key));
    let list = lists.get(key);
    if (list === undefined) {
      list = known.get(key) ?? { key, policies, isTooLarge: areTooLarge(policies) };
      lists.set(key, list);
    }
    return list;
  };
  // A proxy keeps its labels object, and each of its pushes asks several times.
  const results = new Map<string, (labels: Labels) => WorkloadAuthorization>();
  return {
    ofWorkload: (namespace, labels) => {
      if (!byNamespace.has(rootNamespace) && !byNamespace.has(namespace)) return NONE;
      // All other namespaces have the policies of the root namespace alone.
      const of = byNamespace.has(namespace) ? namespace : rootNamespace;
      let result = results.get(of);
      if (result === undefined) {
        result = memoize((asked) => listOf(of, asked));
        results.set(of, result);
      }
      return result(labels);
    },
    canBeTooLarge: (namespace) => areTooLarge(candidatesOf(namespace)),
  };
}

function readEntry(object: MeshObject): Entry {
  const spec = object.body as AuthorizationPolicySpec;
  const { name, namespace } = object.metadata;
  const key = `${keyOf(object)} ${hashOf(spec)}`;
  return { name, namespace, spec, key, labels: selectedLabels(spec), bytes: policyBytes(spec) };
}

function areTooLarge(policies: readonly Entry[]): boolean {
  return policies.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_WORKLOAD_POLICY_BYTES;
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
