import { shareSteps, stepOf } from '../base/steps.js';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import { joinResourceSets, nextResourceSet, type ResourceSet, resourceOf } from '../envoy/resource-set.js';
import type { Generated, ResourcePart, Scope, WildcardGenerator } from '../generators/generator.js';
import type { Proxy } from '../model/proxy.js';
import { NO_NAMES } from './name-changes.js';
import { hasName, type NameSet, WILDCARD } from './name-set.js';
import type { GeneratedPart } from './part-memory.js';
import { type CacheState, nextJoinedSet, type ResultPair, typeCacheOf } from './type-cache.js';
import type { Work } from './work.js';

/** How often parts are made with pauses before they are made at once: changes may come faster than they are made. */
const MAX_ROUNDS = 3;

/**
 * The resources of a type whose parts each depend on a scope. The set is one of the newest snapshot, also after pauses:
 * other types of the proxy may be, and must not name clusters that it lacks. When the snapshot has changed in a pause,
 * the generator still knows most of the resources.
 *
 * @param names undefined for everything, and so is `*`; names beside it are those that an on-demand proxy asks for
 */
export function* wildcardResources(
  state: CacheState,
  generator: WildcardGenerator,
  proxy: Proxy,
  names: NameSet | undefined,
): Work<ResourceSet> {
  const isAll = names === undefined || hasName(names, WILDCARD);
  const wanted = isAll ? (names ?? NO_NAMES) : undefined;
  for (let round = 0; ; round++) {
    const made = yield* generateParts(state, generator, proxy, wanted, round < MAX_ROUNDS);
    if (made !== undefined) {
      return joinParts(typeCacheOf(state, generator), made.key, made.sets, isAll ? undefined : names);
    }
  }
}

/**
 * @param names the resources that an on-demand proxy asks for; undefined for the whole parts
 * @param isSliced whether parts that take long are made with pauses
 * @returns undefined if the snapshot has changed in a pause
 */
function* generateParts(
  state: CacheState,
  generator: WildcardGenerator,
  proxy: Proxy,
  names: NameSet | undefined,
  isSliced: boolean,
): Work<{ readonly key: string; readonly sets: readonly ResourceSet[] } | undefined> {
  const cache = typeCacheOf(state, generator);
  const snapshot = state.context;
  const sets: ResourceSet[] = [];
  let key = '';
  for (const part of generator.parts) {
    const scope = part.scope(snapshot, proxy);
    if (scope === undefined) continue;
    const partKey = `${part.name}\n${scope.key}`;
    const entry =
      cache.current.parts.get(partKey) ??
      (isSliced && part.generateInSteps !== undefined
        ? yield* longPart(state, cache, part, scope, partKey)
        : keepPart(state, cache, partKey, part.generate(snapshot, scope)));
    if (state.context !== snapshot) return undefined;
    const needed = names && part.neededNames?.(snapshot, proxy);
    if (names === undefined || needed === undefined) {
      key += `${partKey}\n`;
      sets.push(entry.set);
      continue;
    }
    const named = namedParts(cache, partKey, entry.set, needed, names);
    key += `${named.key}\n`;
    sets.push(...named.sets);
  }
  return { key, sets };
}

function keepPart(
  state: CacheState,
  { current, previous }: ResultPair,
  key: string,
  { resources, findings }: Generated,
): GeneratedPart {
  state.generations++;
  const entry = { set: nextResourceSet(previous.parts.get(key)?.set, resources), findings };
  current.parts.keep(key, entry);
  return entry;
}

/** Proxies of one scope make a part together. */
function* longPart(
  state: CacheState,
  { current, previous }: ResultPair,
  part: ResourcePart,
  scope: Scope,
  key: string,
): Work<GeneratedPart> {
  const { context } = state;
  const make = function* (): Work<GeneratedPart> {
    const generated = yield* part.generateInSteps?.(context, scope) ?? stepOf(() => part.generate(context, scope));
    return keepPart(state, { current, previous }, key, generated);
  };
  const pending = current.pendingParts.get(key) ?? current.pendingParts.keep(key, shareSteps(make()));
  return yield* pending.follow();
}

/**
 * Two parts of a part that a proxy learns on demand: the resources that it needs from the start, which proxies of one
 * scope share, and those that it has asked for.
 */
function namedParts(
  { current, previous }: ResultPair,
  partKey: string,
  whole: ResourceSet,
  needed: readonly string[],
  names: NameSet,
) {
  const start = needed.join();
  const asked = names.names.filter((name) => !needed.includes(name));
  const choices: readonly (readonly [key: string, names: readonly string[]])[] = [
    [`${partKey}\nneeded ${start}`, needed],
    [`${partKey}\nasked ${start}\n${names.id}`, asked],
  ];
  const sets = choices.map(
    ([key, chosen]) =>
      current.sets.get(key) ?? current.sets.keep(key, nextResourceSet(previous.sets.get(key), pick(whole, chosen))),
  );
  return { key: choices.map(([key]) => key).join('\n'), sets };
}

/** @param names undefined for all resources of the parts */
function joinParts(
  { current, previous }: ResultPair,
  scopes: string,
  sets: readonly ResourceSet[],
  names: NameSet | undefined,
): ResourceSet {
  const key = `${scopes}${names === undefined ? WILDCARD : names.id}`;
  const known = current.sets.get(key);
  if (known !== undefined) return known;
  const before = previous.sets.get(key);
  const set =
    names === undefined
      ? nextJoinedSet(before, sets)
      : nextResourceSet(before, onlyNamed(joinResourceSets(sets).resources, names));
  return current.sets.keep(key, set);
}

function pick(set: ResourceSet, names: readonly string[]): readonly EncodedResource[] {
  return names.flatMap((name) => resourceOf(set, name) ?? []);
}

function onlyNamed(resources: readonly EncodedResource[], names: NameSet): readonly EncodedResource[] {
  // Both lists are sorted, and there may be far more names than resources.
  let index = 0;
  return resources.filter(({ name }) => {
    while (index < names.names.length && (names.names[index] as string) < name) index++;
    return names.names[index] === name;
  });
}
