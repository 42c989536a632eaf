import { createHash } from 'node:crypto';
import { appendTo } from '../../base/append-to.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { memoize } from '../memo.js';
import { compareText } from '../service-order.js';
import { isSelected, type Labels, type SelectedLabels } from './namespace-mutual-tls.js';

/** The parts of a snapshot that an index is made from. */
export interface WorkloadPolicySource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
}

/** A policy that selects workloads by label. */
export interface WorkloadPolicy {
  readonly namespace: string;
  /** Object key and hash of the spec. */
  readonly key: string;
  readonly labels: SelectedLabels;
}

/**
 * The objects of a kind by workload: those of its namespace and of the root namespace that select it. The same index
 * while no object changes.
 */
export interface WorkloadPolicyIndex<Entry, Result> {
  /** All objects, sorted by key. */
  readonly entries: readonly Entry[];
  ofWorkload(namespace: string, labels: Labels): Result;
  /** The objects that may apply to workloads of the namespace: of the root namespace first, sorted by key. */
  candidatesOf(namespace: string): readonly Entry[];
}

export interface WorkloadPolicyKind<Entry, Result> {
  readonly kind: string;
  /** Called once for each object. */
  read(object: MeshObject): Entry;
  /** The result of a workload that no object selects. */
  readonly none: Result;
  /** @param key equal for equal objects */
  combine(policies: readonly Entry[], key: string): Result;
}

/** Makes the index of each snapshot; to be called with successive ones. Equal objects give the same result. */
export function createWorkloadPolicyIndexer<Entry extends WorkloadPolicy, Result>(
  kind: WorkloadPolicyKind<Entry, Result>,
): (source: WorkloadPolicySource) => WorkloadPolicyIndex<Entry, Result> {
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let rootNamespace: string | undefined;
  let index: WorkloadPolicyIndex<Entry, Result> | undefined;
  let results = new Map<string, Result>();
  const entryOf = memoize(kind.read);
  return ({ objects, mesh }) => {
    const next = objects.get(kind.kind);
    if (index !== undefined && next === table && mesh.rootNamespace === rootNamespace) return index;
    table = next;
    rootNamespace = mesh.rootNamespace;
    const known = results;
    results = new Map();
    index = createIndex(kind, Array.from(table?.values() ?? [], entryOf), mesh.rootNamespace, known, results);
    return index;
  };
}

/**
 * @param known results of the index before, by key
 * @param made is given the results of this one
 */
function createIndex<Entry extends WorkloadPolicy, Result>(
  { none, combine }: WorkloadPolicyKind<Entry, Result>,
  entries: readonly Entry[],
  rootNamespace: string,
  known: ReadonlyMap<string, Result>,
  made: Map<string, Result>,
): WorkloadPolicyIndex<Entry, Result> {
  const byNamespace = new Map<string, Entry[]>();
  // Sorted once: a push asks for every proxy.
  const sorted = [...entries].sort((first, second) => compareText(first.key, second.key));
  for (const entry of sorted) {
    appendTo(byNamespace, entry.namespace, entry);
  }
  const entriesOf = (namespace: string): readonly Entry[] => byNamespace.get(namespace) ?? [];
  const candidatesOf = (namespace: string): readonly Entry[] =>
    namespace === rootNamespace ? entriesOf(namespace) : [...entriesOf(rootNamespace), ...entriesOf(namespace)];
  const resultOf = (namespace: string, labels: Labels): Result => {
    const policies = candidatesOf(namespace).filter((entry) => isSelected(labels, entry.labels));
    if (policies.length === 0) return none;
    const key = hashOf(policies.map((policy) => policy.key));
    let result = made.get(key);
    if (result === undefined) {
      result = known.get(key) ?? combine(policies, key);
      made.set(key, result);
    }
    return result;
  };
  // A proxy keeps its labels object, and each of its pushes asks several times.
  const lookups = new Map<string, (labels: Labels) => Result>();
  return {
    entries: sorted,
    ofWorkload: (namespace, labels) => {
      if (!byNamespace.has(rootNamespace) && !byNamespace.has(namespace)) return none;
      // All other namespaces have the policies of the root namespace alone.
      const of = byNamespace.has(namespace) ? namespace : rootNamespace;
      let lookup = lookups.get(of);
      if (lookup === undefined) {
        lookup = memoize((asked) => resultOf(of, asked));
        lookups.set(of, lookup);
      }
      return lookup(labels);
    },
    candidatesOf,
  };
}

/** Object key and hash of the content. */
export function policyKeyOf(object: MeshObject): string {
  return `${keyOf(object)} ${hashOf(object.body)}`;
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
