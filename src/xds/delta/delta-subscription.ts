import { type NameChanges, NO_NAMES } from '../../push/name-changes.js';
import { hasName, type NameSet, WILDCARD } from '../../push/name-set.js';
import type { Work } from '../../push/work.js';

const ONLY_WILDCARD: NameSet = { id: WILDCARD, names: [WILDCARD], characters: 1 };

/** The subscription of one delta stream to one type. */
export interface DeltaSubscription {
  /** With `*` if the proxy subscribes to everything. */
  readonly names: NameSet;
  /** Names that the next response answers, whether or not their resources have changed. */
  readonly asked: NameSet | undefined;
  /** The type has had no response yet. */
  readonly isFirst: boolean;
  /** The proxy had resources of the type when it connected. */
  readonly isResumed: boolean;
  /** The proxy asked for everything again. */
  readonly startsOver: boolean;
}

/** The lists of one request. */
export interface RequestedNames {
  readonly subscribe: NameSet;
  readonly unsubscribe: NameSet;
  /** The proxy told which resources it has; only of the first request of a type. */
  readonly isResumed: boolean;
  /** Names of these resources. Computed only for a proxy that also asks for names. */
  held(): NameSet;
  readonly mode: 'wildcard' | 'named';
}

/** The effect of one request on a subscription. */
export interface SubscriptionChange {
  readonly next: DeltaSubscription;
  readonly isNew: boolean;
  /** The proxy no longer subscribes to some names. */
  readonly hasFewer: boolean;
  readonly hasAsked: boolean;
}

/** Whether the subscription is to everything. Types without a wildcard have no resource with the name `*`. */
export function isWildcard({ names }: DeltaSubscription, { mode }: Pick<RequestedNames, 'mode'>): boolean {
  return mode === 'wildcard' && hasName(names, WILDCARD);
}

/** @param before undefined for the first request of a type */
export function* nextSubscription(
  before: DeltaSubscription | undefined,
  { subscribe, unsubscribe, isResumed, held, mode }: RequestedNames,
  changes: NameChanges,
): Work<SubscriptionChange> {
  const isLegacyWildcard =
    before === undefined && mode === 'wildcard' && subscribe === NO_NAMES && unsubscribe === NO_NAMES;
  const dropped = before === undefined ? NO_NAMES : yield* changes.both(before.names, unsubscribe);
  const kept = yield* changes.remove(before?.names ?? NO_NAMES, dropped);
  const names = isLegacyWildcard ? ONLY_WILDCARD : yield* changes.add(kept, subscribe);
  const isAll = mode === 'wildcard' && hasName(names, WILDCARD);
  const withoutWildcard = isAll ? yield* changes.remove(subscribe, ONLY_WILDCARD) : subscribe;
  // A reconnecting proxy names the resources that it has with their versions: these are answered if they differ.
  let asked = withoutWildcard === NO_NAMES ? NO_NAMES : yield* changes.remove(withoutWildcard, held());
  // The proxy cannot tell whether an unsubscribed resource is one of all resources.
  if (isAll) asked = yield* changes.add(asked, yield* changes.remove(dropped, ONLY_WILDCARD));
  const all = yield* changes.add(asked, before?.asked ?? NO_NAMES);
  const next: DeltaSubscription = {
    names,
    asked: all.names.length === 0 ? undefined : yield* changes.both(all, isAll ? all : names),
    isFirst: before?.isFirst ?? true,
    isResumed: before?.isResumed ?? isResumed,
    startsOver: (before?.startsOver ?? false) || (before !== undefined && isAll && hasName(subscribe, WILDCARD)),
  };
  return { next, isNew: before === undefined, hasFewer: dropped.names.length > 0, hasAsked: asked.names.length > 0 };
}
