import { isDeepStrictEqual } from 'node:util';
import { keyOf } from '../../../config/object.js';
import type { PlanConsumer, ResolvedPlan } from '../../../config/plans/resolved-plan.js';
import { createMemo } from '../../memo.js';
import type { ApiKeySecrets } from './api-key-secrets.js';
import { consumerKeysOf } from './consumer-keys.js';
import type { ConsumerObject, PlanBindings, PlanObject } from './plan-bindings.js';

/** The keys of one plan at most; those of the youngest consumers are left out. Policy servers keep them in memory. */
export const MAX_PLAN_KEYS = 50_000;

/** The name of a plan for policy servers, and in attributes: `<namespace>/<name>`. */
export function planNameOf({ metadata: { namespace, name } }: PlanObject | ConsumerObject): string {
  return `${namespace}/${name}`;
}

/** Makes the plans that policy servers get. */
export type PlanResolver = (plan: PlanObject, bindings: PlanBindings, secrets: ApiKeySecrets) => ResolvedPlan;

interface Resolved {
  readonly consumers: readonly PlanConsumer[];
  readonly plan: ResolvedPlan;
}

interface ReadConsumer {
  readonly consumer: PlanConsumer;
  readonly isLoading: boolean;
}

/** @returns a resolver that gives the same object for as long as plan, consumers and keys stay the same */
export function createPlanResolver(): PlanResolver {
  const consumers = createMemo<ReadConsumer>();
  const plans = new WeakMap<PlanObject['body'], Resolved & { readonly isLoading: boolean }>();
  const lastKeys = new WeakMap<ConsumerObject['body'], ReadConsumer>();

  const read = (object: ConsumerObject, secrets: ApiKeySecrets): ReadConsumer =>
    consumers.of([object.body, secrets], keyOf(object), () => {
      const { keys, isLoading } = consumerKeysOf(object.body, object.metadata.namespace, secrets);
      const next = { consumer: { name: planNameOf(object), keys }, isLoading };
      // Another Secret has changed.
      const known = lastKeys.get(object.body);
      const kept = known !== undefined && isDeepStrictEqual(known, next) ? known : next;
      lastKeys.set(object.body, kept);
      return kept;
    });

  return (plan, bindings, secrets) => {
    const all = bindings.consumersOf(keyOf(plan)).map((object) => read(object, secrets));
    const isLoading = all.some((each) => each.isLoading);
    const listed = withinLimit(all.map(({ consumer }) => consumer));
    const known = plans.get(plan.body);
    if (known?.isLoading === isLoading && isSameList(known.consumers, listed)) return known.plan;
    const { match, limits, anonymous, refund } = plan.body;
    const resolved: ResolvedPlan = {
      ...{ match, limits, anonymous },
      ...(refund !== undefined && { refund }),
      consumers: listed,
      ...(isLoading && { isLoading }),
    };
    plans.set(plan.body, { consumers: listed, isLoading, plan: resolved });
    return resolved;
  };
}

function isSameList(first: readonly PlanConsumer[], second: readonly PlanConsumer[]): boolean {
  return first.length === second.length && first.every((consumer, index) => consumer === second[index]);
}

/** The first consumers whose keys fit. */
function withinLimit(consumers: readonly PlanConsumer[]): readonly PlanConsumer[] {
  let keys = 0;
  const beyond = consumers.findIndex((consumer) => {
    keys += consumer.keys.length;
    return keys > MAX_PLAN_KEYS;
  });
  return beyond === -1 ? consumers : consumers.slice(0, beyond);
}
