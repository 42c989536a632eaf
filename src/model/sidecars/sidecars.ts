import { hash } from 'node:crypto';
import { appendTo } from '../../base/append-to.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { SidecarSpec } from '../../config/networking/sidecar.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { memoize } from '../memo.js';
import { isSelected, type Labels, type SelectedLabels } from '../security/namespace-mutual-tls.js';
import { compareAge, compareText } from '../service-order.js';

/** A Sidecar object as far as it acts on proxies. */
export interface SidecarRules {
  /** Key of the object. */
  readonly source: ObjectKey;
  readonly name: string;
  readonly namespace: string;
  readonly spec: SidecarSpec;
  /** Hash of the fields that decide what a workload sees: `egress` and `outboundTrafficPolicy`. */
  readonly egressKey: string;
}

/** The Sidecars of a snapshot. The same object while none changes. */
export interface Sidecars {
  /** Whether there is none. */
  readonly isEmpty: boolean;
  /**
   * The Sidecar of a workload: the oldest of its namespace whose selector matches its labels, else the oldest of its
   * namespace without a selector, else the oldest of the root namespace without a selector.
   */
  ofWorkload(namespace: string, labels: Labels): SidecarRules | undefined;
}

/** The parts of a snapshot that the index is made from. */
export interface SidecarSource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type SidecarIndexer = (source: SidecarSource) => Sidecars;

/** The Sidecars of one namespace, oldest first. */
interface NamespaceSidecars {
  readonly selecting: readonly { readonly labels: SelectedLabels; readonly rules: SidecarRules }[];
  readonly forAll: SidecarRules | undefined;
}

const KIND = 'Sidecar';
const NONE: Sidecars = { isEmpty: true, ofWorkload: () => undefined };

export function createSidecarIndexer(): SidecarIndexer {
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let rootNamespace: string | undefined;
  let index = NONE;
  const rulesOf = memoize(readRules);
  return ({ objects, mesh }) => {
    const next = objects.get(KIND);
    if (next === table && mesh.rootNamespace === rootNamespace) return index;
    table = next;
    rootNamespace = mesh.rootNamespace;
    index = table === undefined || table.size === 0 ? NONE : createIndex(table.values(), rootNamespace, rulesOf);
    return index;
  };
}

/** A selector without labels counts as absent. */
function sidecarSelector({ workloadSelector }: SidecarSpec): SelectedLabels {
  return Object.entries(workloadSelector?.labels ?? {});
}

/** Sidecars by precedence: the oldest first, then by name. */
function sidecarsOldestFirst(objects: Iterable<MeshObject>): readonly MeshObject[] {
  return [...objects].sort(
    ({ metadata: first }, { metadata: second }) =>
      compareAge(first.creationTimestamp ?? '', second.creationTimestamp ?? '') || compareText(first.name, second.name),
  );
}

function createIndex(
  objects: Iterable<MeshObject>,
  rootNamespace: string,
  rulesOf: (object: MeshObject) => SidecarRules,
): Sidecars {
  const groups = new Map<string, SidecarRules[]>();
  for (const object of sidecarsOldestFirst(objects)) {
    const { namespace } = object.metadata;
    appendTo(groups, namespace, rulesOf(object));
  }
  const byNamespace = new Map<string, NamespaceSidecars>();
  for (const [namespace, group] of groups) byNamespace.set(namespace, indexNamespace(group));
  return {
    isEmpty: false,
    ofWorkload: (namespace, labels) => {
      const own = byNamespace.get(namespace);
      const selecting = own?.selecting.find((each) => isSelected(labels, each.labels));
      return selecting?.rules ?? own?.forAll ?? byNamespace.get(rootNamespace)?.forAll;
    },
  };
}

function indexNamespace(oldestFirst: readonly SidecarRules[]): NamespaceSidecars {
  const all = oldestFirst.map((rules) => ({ rules, labels: sidecarSelector(rules.spec) }));
  return {
    selecting: all.filter(({ labels }) => labels.length > 0),
    forAll: all.find(({ labels }) => labels.length === 0)?.rules,
  };
}

function readRules(object: MeshObject): SidecarRules {
  const spec = object.body as SidecarSpec;
  const { name, namespace } = object.metadata;
  const { egress, outboundTrafficPolicy } = spec;
  const text = JSON.stringify([egress, outboundTrafficPolicy]);
  return { source: keyOf(object), name, namespace, spec, egressKey: hash('sha256', text, 'base64url').slice(0, 22) };
}
