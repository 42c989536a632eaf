import type { ObjectKey } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { changedObjects } from './changed-objects.js';

/**
 * What changed from one state of the configuration to another, by the roots that the distribution ledger names states
 * with. Unlike the ledger it forgets no state that a proxy still stands at, however old: a proxy that refused its
 * configuration an hour ago lacks what changed since, and nothing else.
 */
export interface RootHistory {
  /** A snapshot and its root, in order; to be told of every push. */
  observe(root: string, context: PushContext, nowMs: number): void;
  /** Objects that changed after a state; undefined for a root that is not known. */
  changedSince(root: string): ReadonlySet<ObjectKey> | undefined;
  /** Objects that differ, or differed meanwhile, between two states; undefined when one is not known. */
  changedBetween(first: string, second: string): ReadonlySet<ObjectKey> | undefined;
  /** Forgets old states that nobody stands at. */
  retain(inUse: ReadonlySet<string>, nowMs: number): void;
}

interface State {
  readonly root: string;
  readonly sinceMs: number;
  /** What changed from the state before to this one. */
  changed: ReadonlySet<ObjectKey>;
}

const NOTHING: ReadonlySet<ObjectKey> = new Set();
/** An answer that is on its way may name a state that nobody is known to stand at. */
const KEPT_MS = 300_000;

export function createRootHistory(): RootHistory {
  let states: readonly State[] = [];
  let newest: PushContext | undefined;
  const known = new Map<string, ReadonlySet<ObjectKey>>();

  const union = (from: number, to: number): ReadonlySet<ObjectKey> => {
    if (from >= to) return NOTHING;
    return new Set(states.slice(from + 1, to + 1).flatMap(({ changed }) => [...changed]));
  };
  /** A state that came back has its newest place: its content is the same. */
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
          // What led to the oldest state matters to nobody.
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
