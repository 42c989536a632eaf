import { createHash } from 'node:crypto';
import { appendTo } from '../../base/append-to.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { EnvoyFilterPatch, EnvoyFilterSpec } from '../../config/networking/envoy-filter.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { memoize } from '../memo.js';
import type { Proxy } from '../proxy.js';
import { isSelected, type Labels, type SelectedLabels } from '../security/namespace-mutual-tls.js';
import { compareAge, compareText } from '../service-order.js';
import type { ProxyMatcher } from './proxy-match.js';

/** One patch of an EnvoyFilter. */
export interface Patch extends EnvoyFilterPatch {
  /** The EnvoyFilter. */
  readonly object: ObjectKey;
  /** Its place in `configPatches`. */
  readonly index: number;
  /** `<object>[<index>]#<hash of the content>` */
  readonly id: string;
}

/** The patches of one proxy. The same object for all proxies with the same patches, while they stay the same. */
export interface WorkloadPatches {
  /** Equal ones have equal keys. Empty without patches. */
  readonly key: string;
  /** In the order in which they are applied. */
  readonly patches: readonly Patch[];
  /** EnvoyFilters that are left out because the patches before them take MAX_WORKLOAD_PATCH_BYTES. */
  readonly omitted: readonly ObjectKey[];
}

/** The EnvoyFilters of a snapshot. The same object while none of them changes. */
export interface EnvoyPatches {
  /** @param labels of its workload */
  ofProxy(proxy: Proxy, labels: Labels): WorkloadPatches;
}

/** The parts of a snapshot that the index is made from. */
export interface EnvoyPatchSource {
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type EnvoyPatchIndexer = (source: EnvoyPatchSource) => EnvoyPatches;

/** The most that the values of all patches of one proxy may take as JSON: each of its resources may contain them. */
export const MAX_WORKLOAD_PATCH_BYTES = 1024 * 1024;

interface Entry {
  readonly object: ObjectKey;
  readonly namespace: string;
  readonly name: string;
  readonly creationTimestamp: string;
  readonly labels: SelectedLabels;
  readonly patches: readonly Patch[];
  readonly bytes: number;
  readonly hash: string;
}

const NONE: WorkloadPatches = { key: '', patches: [], omitted: [] };

export function createEnvoyPatchIndexer(matchesProxy: ProxyMatcher): EnvoyPatchIndexer {
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let rootNamespace: string | undefined;
  let index: EnvoyPatches | undefined;
  let lists = new Map<string, WorkloadPatches>();
  const entryOf = memoize(readEntry);
  return ({ objects, mesh }) => {
    const next = objects.get('EnvoyFilter');
    if (index !== undefined && next === table && mesh.rootNamespace === rootNamespace) return index;
    table = next;
    rootNamespace = mesh.rootNamespace;
    const known = lists;
    lists = new Map();
    index = createIndex(Array.from(table?.values() ?? [], entryOf), mesh.rootNamespace, matchesProxy, { known, lists });
    return index;
  };
}

interface Lists {
  /** Of the index before, by key. */
  readonly known: ReadonlyMap<string, WorkloadPatches>;
  /** Is given those of this index. */
  readonly lists: Map<string, WorkloadPatches>;
}

function createIndex(
  entries: readonly Entry[],
  rootNamespace: string,
  matchesProxy: ProxyMatcher,
  { known, lists }: Lists,
): EnvoyPatches {
  const byNamespace = new Map<string, Entry[]>();
  for (const entry of [...entries].sort(compareEntries)) {
    appendTo(byNamespace, entry.namespace, entry);
  }
  const entriesOf = (namespace: string): readonly Entry[] => byNamespace.get(namespace) ?? [];

  const listOf = (proxy: Proxy, labels: Labels): WorkloadPatches => {
    const namespace = proxy.configNamespace;
    const candidates =
      namespace === rootNamespace ? entriesOf(namespace) : [...entriesOf(rootNamespace), ...entriesOf(namespace)];
    const patches: Patch[] = [];
    const omitted: ObjectKey[] = [];
    const facts: string[] = [];
    let bytes = 0;
    for (const entry of candidates) {
      if (!isSelected(labels, entry.labels)) continue;
      const matching = entry.patches.filter((patch) => matchesProxy(patch, proxy));
      if (matching.length === 0) continue;
      if (bytes + entry.bytes > MAX_WORKLOAD_PATCH_BYTES) {
        omitted.push(entry.object);
        continue;
      }
      bytes += entry.bytes;
      patches.push(...matching);
      facts.push(entry.object, entry.hash, matching.map((patch) => patch.index).join());
    }
    if (patches.length === 0) return NONE;
    const key = hashOf([facts, omitted]);
    const list = lists.get(key) ?? known.get(key) ?? { key, patches, omitted };
    lists.set(key, list);
    return list;
  };

  // A proxy stays the same object, and each of its pushes asks several times.
  const results = new WeakMap<Proxy, { readonly labels: Labels; readonly list: WorkloadPatches }>();
  return {
    ofProxy: (proxy, labels) => {
      if (!byNamespace.has(rootNamespace) && !byNamespace.has(proxy.configNamespace)) return NONE;
      const result = results.get(proxy);
      if (result?.labels === labels) return result.list;
      const list = listOf(proxy, labels);
      results.set(proxy, { labels, list });
      return list;
    },
  };
}

/** Within a namespace the oldest applies first, then by name. */
function compareEntries(first: Entry, second: Entry): number {
  return compareAge(first.creationTimestamp, second.creationTimestamp) || compareText(first.name, second.name);
}

function readEntry(object: MeshObject): Entry {
  const spec = object.body as EnvoyFilterSpec;
  const { name, namespace, creationTimestamp = '' } = object.metadata;
  const key = keyOf(object);
  const text = JSON.stringify(spec.configPatches);
  return {
    object: key,
    namespace,
    name,
    creationTimestamp,
    labels: Object.entries(spec.workloadSelector?.labels ?? {}),
    patches: spec.configPatches.map((patch, index) => {
      return { ...patch, object: key, index, id: `${key}[${index}]#${hashOf(patch)}` };
    }),
    bytes: Buffer.byteLength(text),
    hash: hashOf(text),
  };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
