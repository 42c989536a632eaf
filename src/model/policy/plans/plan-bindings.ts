import { appendTo } from '../../../base/append-to.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../../config/object.js';
import type { ConsumerSpec } from '../../../config/plans/consumer.js';
import type { PlanSpec } from '../../../config/plans/plan.js';
import { compareObjects } from '../../object-order.js';
import type { PushContext } from '../../push-context.js';
import { mayActOn } from '../binding-grants.js';
import type { BoundService } from '../bound-services.js';
import { type ResolvedBinding, resolveBindings } from '../resolve-bindings.js';

export type PlanObject = MeshObject<'Plan', PlanSpec>;
export type ConsumerObject = MeshObject<'Consumer', ConsumerSpec>;

/** A Consumer, and the plan that it names. */
export interface ResolvedConsumer {
  readonly consumer: ConsumerObject;
  readonly planKey: ObjectKey;
  readonly planNamespace: string;
  /** Whether the namespace of the plan allows the Consumer. */
  readonly isGranted: boolean;
  /** Undefined when the plan does not exist or is not granted. */
  readonly plan: PlanObject | undefined;
}

/** All plans of a snapshot. */
export interface PlanBindings {
  /** Each plan with the services that it names, and its consumers as references. Sorted by key. */
  readonly bindings: readonly ResolvedBinding[];
  /** Sorted by key. */
  readonly consumers: readonly ResolvedConsumer[];
  /** The plans of a service, sorted by key. Services with the same plans share one array. */
  plansOf(service: BoundService): readonly PlanObject[];
  /** The consumers of a plan, the oldest first. */
  consumersOf(plan: ObjectKey): readonly ConsumerObject[];
}

/** A mesh without plans. */
export const NO_PLANS: PlanBindings = { bindings: [], consumers: [], plansOf: () => [], consumersOf: () => [] };

const NO_LABELS = {};
const NO_CONSUMERS: readonly ConsumerObject[] = [];

/** Resolves the plans of a snapshot. */
export function resolvePlanBindings({
  objects,
  domain,
  bindingGrants: grants,
}: Pick<PushContext, 'objects' | 'domain' | 'bindingGrants'>): PlanBindings {
  const plans = objects.get('Plan') ?? new Map<ObjectKey, MeshObject>();
  const resolved = resolveBindings<PlanObject>({
    specKind: 'Plan',
    bindings: [...plans.values()],
    specs: plans,
    domain,
    grants,
    services: ({ body }) => (body as PlanSpec).services.map((service) => ({ ...service, labels: NO_LABELS })),
    references: ({ metadata: { name, namespace } }) => [{ name, namespace }],
    restrict: (plan) => plan,
  });
  const consumers = [...(objects.get('Consumer') ?? new Map<ObjectKey, MeshObject>())]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, object]): ResolvedConsumer => {
      const consumer = object as ConsumerObject;
      const { plan: reference } = consumer.body;
      const planNamespace = reference.namespace ?? consumer.metadata.namespace;
      const planKey = objectKey('Plan', planNamespace, reference.name);
      // A Consumer gives its keys access to the services of the plan. That needs the grant of the plan's namespace, also
      // for a plan in the root namespace, whose specs all bindings may use.
      const isGranted = mayActOn(grants, consumer, planNamespace);
      const plan = isGranted ? (plans.get(planKey) as PlanObject | undefined) : undefined;
      return { consumer, planKey, planNamespace, isGranted, plan };
    });
  const byPlan = new Map<ObjectKey, ConsumerObject[]>();
  for (const { consumer, planKey, plan } of consumers) if (plan !== undefined) appendTo(byPlan, planKey, consumer);
  for (const ofPlan of byPlan.values()) ofPlan.sort(compareObjects);
  const consumersOf = (plan: ObjectKey): readonly ConsumerObject[] => byPlan.get(plan) ?? NO_CONSUMERS;
  return {
    bindings: resolved.bindings.map((binding) => ({
      ...binding,
      references: consumersOf(keyOf(binding.binding)).map((consumer) => ({
        key: keyOf(consumer),
        namespace: consumer.metadata.namespace,
        isGranted: true,
        spec: consumer,
      })),
    })),
    consumers,
    plansOf: (service) => resolved.specsOf(service),
    consumersOf,
  };
}
