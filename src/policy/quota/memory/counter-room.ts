import { addCount } from '../../../base/key-counts.js';

/** How many counters several stores may keep together. */
export interface CounterRoom {
  /** Takes room for one counter; false without room. */
  take(): boolean;
  /** Gives room back. */
  release(counters: number): void;
}

/** The rooms of namespaces. */
export interface CounterRooms {
  /** The room of a namespace. Its counters take room of all namespaces too. */
  of(namespace: string): CounterRoom;
}

export interface CounterLimits {
  /** Counters of one namespace. */
  readonly namespace: number;
  readonly all: number;
}

export const UNLIMITED_ROOM: CounterRoom = { take: () => true, release: () => undefined };

export function createCounterRooms(limits: CounterLimits): CounterRooms {
  const byNamespace = new Map<string, number>();
  let all = 0;
  const add = (namespace: string, more: number): void => {
    all += more;
    addCount(byNamespace, namespace, more);
  };
  return {
    of: (namespace) => ({
      take: () => {
        if (all >= limits.all || (byNamespace.get(namespace) ?? 0) >= limits.namespace) return false;
        add(namespace, 1);
        return true;
      },
      release: (counters) => add(namespace, -counters),
    }),
  };
}
