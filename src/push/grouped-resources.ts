import { shareSteps } from '../base/steps.js';
import { EMPTY_RESOURCE_SET, nextResourceSet, type ResourceSet } from '../envoy/resource-set.js';
import type { GroupedGenerator, Scope } from '../generators/generator.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { NameSet } from './name-set.js';
import { type CacheState, nextJoinedSet, type ResultPair, typeCacheOf } from './type-cache.js';
import type { Work } from './work.js';

/** The groups to make. */
interface GroupedWork {
  readonly snapshot: PushContext;
  readonly generator: GroupedGenerator;
  readonly scope: Scope;
  readonly groups: NameSet;
}

/** Groups that are made before the work pauses. */
const GROUPS_AT_ONCE = 64;

/**
 * The resources of a type that a proxy requests by group. The work reads the snapshot before its first pause. A proxy on
 * demand may ask for a hundred thousand groups.
 */
export function* groupedResources(
  state: CacheState,
  generator: GroupedGenerator,
  proxy: Proxy,
  groups: NameSet,
): Work<ResourceSet> {
  const { current, previous } = typeCacheOf(state, generator);
  const snapshot = state.context;
  const scope = generator.scope(snapshot, proxy);
  const key = groupedKey(scope, groups);
  const known = current.sets.get(key);
  if (known !== undefined) return known;
  const pending =
    current.pending.get(key) ??
    current.pending.keep(
      key,
      shareSteps(makeGroups(state, { current, previous }, { snapshot, generator, scope, groups }, key)),
    );
  return yield* pending.follow();
}

/** A group may have line breaks, because proxies name it. The lengths tell it from several groups. */
function groupedKey(scope: Scope, { names }: NameSet): string {
  return [scope.key, names.map(({ length }) => length).join(), ...names].join('\n');
}

function* makeGroups(
  state: CacheState,
  { current, previous }: ResultPair,
  { snapshot, generator, scope, groups }: GroupedWork,
  key: string,
): Work<ResourceSet> {
  const sets: ResourceSet[] = [];
  for (const [index, group] of groups.names.entries()) {
    if (index > 0 && index % GROUPS_AT_ONCE === 0) yield;
    const partKey = `${group}\n${scope.key}`;
    const made = current.parts.get(partKey)?.set;
    if (made !== undefined) {
      sets.push(made);
      continue;
    }
    state.generations++;
    const steps = generator.generateInSteps?.(snapshot, scope, group);
    const resources = steps === undefined ? generator.generate(snapshot, scope, group) : yield* steps;
    if (resources.length === 0) continue;
    const set = nextResourceSet(previous.parts.get(partKey)?.set, resources);
    current.parts.keep(partKey, { set, findings: [] });
    sets.push(set);
  }
  if (sets.length === 0) return EMPTY_RESOURCE_SET;
  const parts = joinSingle({ current, previous }, key, sets);
  return current.sets.keep(key, nextJoinedSet(previous.sets.get(key), parts));
}

/**
 * Joins the groups of one resource into one part: a proxy on demand may have thousands of them. It may also ask for the
 * resource that stands for no other; the one that it asked for then counts, because it comes last.
 */
function joinSingle({ current, previous }: ResultPair, setKey: string, sets: readonly ResourceSet[]) {
  const single = sets.filter(({ resources }) => resources.length === 1);
  if (single.length < 2) return sets;
  const byName = new Map(single.flatMap(({ resources }) => resources).map((resource) => [resource.name, resource]));
  const key = `single\n${setKey}`;
  const joined = current.sets.keep(key, nextResourceSet(previous.sets.get(key), [...byName.values()]));
  return [...sets.filter(({ resources }) => resources.length !== 1), joined];
}
