import { inOneStep, shareSteps } from '../base/steps.js';
import type { ResourceSet } from '../envoy/resource-set.js';
import type { NamedGenerator, ResourceGenerator } from '../generators/generator.js';
import type { Finding } from '../model/finding.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { groupedResources } from './grouped-resources.js';
import { changedHosts } from './host-index.js';
import { NO_NAMES } from './name-changes.js';
import type { NameSet } from './name-set.js';
import { generateNamed, type NamedResult, type NamedWork, updateNamed } from './named-resources.js';
import type { PushNotice } from './push-notice.js';
import { advanceType, type CacheState, type Results, type TypeCache, typeCacheOf } from './type-cache.js';
import { wildcardResources } from './wildcard-resources.js';
import type { Work } from './work.js';

/**
 * Generated resources of the current snapshot, by scope: proxies with equal scopes share one ResourceSet,
 * and a set whose content did not change keeps its identity from one snapshot to the next.
 */
export interface ResourceCache {
  /** Generates resources from this snapshot from now on. Types that the push does not concern keep their resources. */
  advance(context: PushContext, notice: PushNotice): void;
  /**
   * @param names the proxy's subscription. For wildcard types undefined stands for everything, and so does `*`; names
   *   beside it are those that an on-demand proxy has asked for. For grouped types these are the groups
   */
  resourcesFor(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): ResourceSet;
  /**
   * The same with pauses. The result belongs to the snapshot at the first step, even if the snapshot changes in a
   * pause.
   */
  prepareResources(generator: ResourceGenerator, proxy: Proxy, names: NameSet | undefined): Work<ResourceSet>;
  /** The findings of the generators for the connected proxies. */
  findings(): readonly Finding[];
  /** Number of parts that were generated since the start. Equal scopes share one. */
  readonly generations: number;
}

export function createResourceCache(initial: PushContext): ResourceCache {
  const state: CacheState = { context: initial, generations: 0, types: new Map() };

  const prepareResources: ResourceCache['prepareResources'] = function* (generator, proxy, names) {
    switch (generator.mode) {
      case 'wildcard':
        return yield* wildcardResources(state, generator, proxy, names);
      case 'grouped':
        return yield* groupedResources(state, generator, proxy, names ?? NO_NAMES);
      case 'named':
        return yield* namedResources(state, generator, proxy, names ?? NO_NAMES);
    }
  };

  return {
    advance: (next, notice) => {
      state.context = next;
      for (const cache of state.types.values()) {
        const { generator } = cache;
        if (!notice.concerns(generator, 'sidecar') && !notice.concerns(generator, 'router')) continue;
        advanceType(cache, changedHosts(notice.request));
      }
    },
    resourcesFor: (generator, proxy, names) => inOneStep(prepareResources(generator, proxy, names)),
    prepareResources,
    findings: () => {
      const all: Finding[] = [];
      for (const { current } of state.types.values()) {
        for (const entry of current.parts.values()) all.push(...entry.findings);
        for (const set of current.sets.values()) all.push(...[...(current.findings.get(set)?.values() ?? [])].flat());
      }
      return all;
    },
    get generations() {
      return state.generations;
    },
  };
}

function* namedResources(
  state: CacheState,
  generator: NamedGenerator,
  proxy: Proxy,
  names: NameSet,
): Work<ResourceSet> {
  const { context } = state;
  const cache = typeCacheOf(state, generator);
  const scope = generator.scope(context, proxy);
  const key = `${scope.key}\n${names.id}`;
  const { current } = cache;
  const known = current.sets.get(key);
  if (known !== undefined) return known;
  const pending =
    current.pending.get(key) ??
    current.pending.keep(key, shareSteps(makeNamed(state, cache, { context, generator, scope, names }, key)));
  return yield* pending.follow();
}

/** Reads the cache before its first pause, so the result belongs to the snapshot at that time. */
function* makeNamed(state: CacheState, cache: TypeCache, work: NamedWork, key: string): Work<ResourceSet> {
  state.generations++;
  const { current, previous, changed, hosts } = cache;
  const before = recall(previous, key);
  const { set, findings } = (yield* updateNamed(work, before, changed, hosts)) ?? (yield* generateNamed(work, before));
  current.findings.set(set, findings);
  return current.sets.keep(key, set);
}

function recall({ sets, findings }: Results, key: string): NamedResult | undefined {
  const set = sets.get(key);
  const found = set === undefined ? undefined : findings.get(set);
  return set === undefined || found === undefined ? undefined : { set, findings: found };
}
