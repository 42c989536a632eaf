import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../../config/object.js';
import {
  type ConsumerObject,
  type PlanBindings,
  type PlanObject,
  resolvePlanBindings,
} from '../../../model/policy/plans/plan-bindings.js';
import type { PushContext } from '../../../model/push-context.js';

/** Later than any time of an API server. */
const NEWEST = '9999-12-31T23:59:59Z';

/** The plans of a snapshot that a Plan or a Consumer would affect if it were applied. */
export function candidatePlans(candidate: MeshObject, context: PushContext): PlanBindings {
  return candidate.kind === 'Plan' ? ofPlan(candidate, context) : ofConsumer(candidate as ConsumerObject, context);
}

/** The plan with the Consumers that name it. Its messages do not depend on their keys, so `consumersOf` is empty. */
function ofPlan(plan: MeshObject, context: PushContext): PlanBindings {
  const key = keyOf(plan);
  const resolved = resolvePlanBindings(meshOf(context, [plan], consumersOf(key, context)));
  return { ...resolved, consumers: [], consumersOf: () => [] };
}

/** The Consumer with the plan that it names, and the other Consumers of the plan. */
function ofConsumer(candidate: ConsumerObject, context: PushContext): PlanBindings {
  const key = keyOf(candidate);
  const consumer = withAge(candidate, context.objects.get('Consumer')?.get(key));
  const planKey = planKeyOf(consumer);
  const plan = context.objects.get('Plan')?.get(planKey) as PlanObject | undefined;
  const others = consumersOf(planKey, context).filter((other) => keyOf(other) !== key);
  const resolved = resolvePlanBindings(meshOf(context, plan === undefined ? [] : [plan], [...others, consumer]));
  return { ...resolved, consumers: resolved.consumers.filter((each) => each.consumer === consumer) };
}

/** API servers can review a new object before it has a time: it is the youngest then, not the oldest. */
function withAge(candidate: ConsumerObject, old: MeshObject | undefined): ConsumerObject {
  if (candidate.origin !== 'cluster' || candidate.metadata.creationTimestamp !== undefined) return candidate;
  const creationTimestamp = old?.metadata.creationTimestamp ?? NEWEST;
  return { ...candidate, metadata: { ...candidate.metadata, creationTimestamp } };
}

function planKeyOf({ body: { plan }, metadata: { namespace } }: ConsumerObject): ObjectKey {
  return objectKey('Plan', plan.namespace ?? namespace, plan.name);
}

function consumersOf(plan: ObjectKey, { objects }: PushContext): readonly ConsumerObject[] {
  const consumers = [...(objects.get('Consumer')?.values() ?? [])] as ConsumerObject[];
  return consumers.filter((consumer) => planKeyOf(consumer) === plan);
}

function meshOf(
  { domain, bindingGrants }: PushContext,
  plans: readonly MeshObject[],
  consumers: readonly MeshObject[],
): Pick<PushContext, 'objects' | 'domain' | 'bindingGrants'> {
  const tableOf = (objects: readonly MeshObject[]) => new Map(objects.map((object) => [keyOf(object), object]));
  return {
    objects: new Map([
      ['Plan', tableOf(plans)],
      ['Consumer', tableOf(consumers)],
    ]),
    domain,
    bindingGrants,
  };
}
