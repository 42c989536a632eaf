import type { PushRequest } from '../model/push-request.js';
import type { NameSet } from './name-set.js';
import type { Work } from './work.js';

/** The hosts whose endpoints changed, if no other object changed. */
export type ChangedHosts = 'everything' | ReadonlySet<string>;

/** A full push may change any resource. */
export function changedHosts({ full, endpoints }: PushRequest): ChangedHosts {
  return full ? 'everything' : endpoints;
}

export function mergeChangedHosts(first: ChangedHosts, second: ChangedHosts): ChangedHosts {
  return first === 'everything' || second === 'everything' ? 'everything' : new Set([...first, ...second]);
}

/** Finds the names that depend on a host without reading all names that a proxy subscribes to. */
export interface HostIndex {
  /** @param hostOf the host that a name depends on, always by the same rule */
  namesOf(names: NameSet, hosts: ReadonlySet<string>, hostOf: (name: string) => string): Work<readonly string[]>;
}

/** Indexes each set of names at its first use, and keeps the index as long as the set. */
export function createHostIndex(): HostIndex {
  const known = new WeakMap<NameSet, NamesByHost>();
  return {
    *namesOf(names, hosts, hostOf) {
      let index = known.get(names);
      if (index === undefined) {
        index = yield* groupByHost(names, hostOf);
        known.set(names, index);
      }
      const found: string[] = [];
      for (const host of hosts) found.push(...listOf(index.get(host)));
      return found;
    },
  };
}

/** A host with one name, as most have, needs no list. */
type NamesByHost = ReadonlyMap<string, string | string[]>;

/** Names that are read before the work pauses. */
const GROUPED_AT_ONCE = 1_024;

function* groupByHost({ names }: NameSet, hostOf: (name: string) => string): Work<NamesByHost> {
  const groups = new Map<string, string | string[]>();
  let grouped = 0;
  for (const name of names) {
    const host = hostOf(name);
    const group = groups.get(host);
    if (group === undefined) groups.set(host, name);
    else if (typeof group === 'string') groups.set(host, [group, name]);
    else group.push(name);
    if (++grouped % GROUPED_AT_ONCE === 0) yield;
  }
  return groups;
}

function listOf(group: string | readonly string[] | undefined): readonly string[] {
  if (group === undefined) return [];
  return typeof group === 'string' ? [group] : group;
}
