import type { PushRequest } from '../model/push-request.js';
import type { NameSet } from './name-set.js';

/** Hosts whose endpoints changed, while nothing else did. */
export type ChangedHosts = 'everything' | ReadonlySet<string>;

/** A full push may alter anything. */
export function changedHosts({ full, endpoints }: PushRequest): ChangedHosts {
  return full ? 'everything' : endpoints;
}

export function mergeChangedHosts(first: ChangedHosts, second: ChangedHosts): ChangedHosts {
  return first === 'everything' || second === 'everything' ? 'everything' : new Set([...first, ...second]);
}

/** Finds the names that depend on a host, without looking at all the names that a proxy asks for. */
export interface HostIndex {
  /** @param hostOf the host that a name depends on, always by the same rule */
  namesOf(names: NameSet, hosts: ReadonlySet<string>, hostOf: (name: string) => string): readonly string[];
}

/** The index of each set of names is made when it is first asked for, and goes with the set. */
export function createHostIndex(): HostIndex {
  const known = new WeakMap<NameSet, NamesByHost>();
  return {
    namesOf: (names, hosts, hostOf) => {
      let index = known.get(names);
      if (index === undefined) {
        index = groupByHost(names, hostOf);
        known.set(names, index);
      }
      const found: string[] = [];
      for (const host of hosts) found.push(...(index.get(host) ?? []));
      return found;
    },
  };
}

type NamesByHost = ReadonlyMap<string, readonly string[]>;

function groupByHost({ names }: NameSet, hostOf: (name: string) => string): NamesByHost {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const host = hostOf(name);
    const group = groups.get(host);
    if (group === undefined) groups.set(host, [name]);
    else group.push(name);
  }
  return groups;
}
