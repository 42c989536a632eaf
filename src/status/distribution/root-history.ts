import { isTracked } from '../../config/kind-traits.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { MESH_CONFIG_KEY } from '../../model/push-request.js';

/**
 * The objects that changed between two versions of the configuration. The distribution ledger names a version by its
 * root. Unlike the ledger, the history keeps each version that a proxy still has: a proxy that rejected its
 * configuration an hour ago misses only later changes.
 */
export interface RootHistory {
  /** Takes the snapshot and root of each push, in order. */
  observe(root: string, context: PushContext, nowMs: number): void;
  /** Objects that changed after a version; undefined for an unknown root. */
  changedSince(root: string): ReadonlySet<ObjectKey> | undefined;
  /** Objects that changed between two versions, even if they changed back; undefined if a root is unknown. */
  changedBetween(first: string, second: string): ReadonlySet<ObjectKey> | undefined;
  /** Removes old versions that no proxy has. */
  retain(inUse: ReadonlySet<string>, nowMs: number): void;
}

interface State {
  readonly root: string;
  readonly sinceMs: number;
  /** Objects that changed since the previous version. */
  changed: ReadonlySet<ObjectKey>;
}

const NOTHING: ReadonlySet<ObjectKey> = new Set();
/** An acknowledgement under way may name a version that no proxy has according to its connection. */
const KEPT_MS = 300_000;

export function createRootHistory(): RootHistory {
  let states: readonly State[] = [];
  let newest: PushContext | undefined;
  const known = new Map<string, ReadonlySet<ObjectKey>>();

  const union = (from: number, to: number): ReadonlySet<ObjectKey> => {
    if (from >= to) return NOTHING;
    return new Set(states.slice(from + 1, to + 1).flatMap(({ changed }) => [...changed]));
  };
  /** If the configuration returned to an earlier version, its newest place counts. */
  const placeOf = (root: string): number => states.findLastIndex((state) => state.root === root);

  return {
    observe: (root, context, sinceMs) => {
      const changed = newest === undefined ? NOTHING : changedObjects(newest, context);
      newest = context;
      if (states.at(-1)?.root === root && changed.size === 0) return;
      states = [...states, { root, sinceMs, changed }];
      known.clear();
    },
    changedSince: (root) => {
      const place = placeOf(root);
      if (place === -1) return undefined;
      const found = known.get(root) ?? union(place, states.length - 1);
      known.set(root, found);
      return found;
    },
    changedBetween: (first, second) => {
      const places = [placeOf(first), placeOf(second)];
      return places.includes(-1) ? undefined : union(Math.min(...places), Math.max(...places));
    },
    retain: (inUse, nowMs) => {
      const kept: State[] = [];
      let carried: ReadonlySet<ObjectKey> = NOTHING;
      for (const [index, state] of states.entries()) {
        const changed = carried.size === 0 ? state.changed : new Set([...carried, ...state.changed]);
        const isLast = index === states.length - 1;
        if (isLast || inUse.has(state.root) || nowMs - state.sinceMs < KEPT_MS) {
          // The changes before the oldest version are not needed.
          kept.push(kept.length === 0 ? { ...state, changed: NOTHING } : { ...state, changed });
          carried = NOTHING;
        } else {
          carried = changed;
        }
      }
      if (kept.length === states.length) return;
      states = kept;
      known.clear();
    },
  };
}

/** Objects that were added, changed or removed between two snapshots. Snapshots share unchanged objects by identity. */
function changedObjects(before: PushContext, after: PushContext): ReadonlySet<ObjectKey> {
  const changed = new Set<ObjectKey>();
  if (before.mesh !== after.mesh || before.networks !== after.networks) changed.add(MESH_CONFIG_KEY);
  for (const kind of new Set([...before.objects.keys(), ...after.objects.keys()])) {
    if (!isTracked(kind)) continue;
    compare(before.objects.get(kind), after.objects.get(kind), changed);
  }
  return changed;
}

type Table = ReadonlyMap<ObjectKey, MeshObject> | undefined;

function compare(before: Table, after: Table, changed: Set<ObjectKey>): void {
  if (before === after) return;
  for (const key of before?.keys() ?? []) if (after?.has(key) !== true) changed.add(key);
  for (const [key, object] of after ?? []) if (before?.get(key) !== object) changed.add(key);
}
