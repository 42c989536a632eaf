import { inOneStep } from '../../base/steps.js';
import { keyOf, type ObjectKey, objectKey } from '../../config/object.js';
import type { BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import { createPlanResolver, planNameOf } from '../../model/policy/plans/resolved-plans.js';
import type { PolicyBindings } from '../../model/policy/policy-bindings.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import { compileQuotaSpecs } from '../../policy/client/compile-quota-specs.js';
import { assessPlans, type PlanRefusal } from '../../policy/plans/assess-plans.js';
import { compilePlan, planConditionsOf } from '../../policy/plans/compile-plan.js';
import { indexKeys } from '../../policy/plans/index-keys.js';

/** What the plans of a service make of a request. */
export interface ExplainedPlans {
  /** The plans of the service; empty for a service without plans. */
  readonly plans: readonly ObjectKey[];
  /** `undecided`: keys in Secrets are not known here, or a condition cannot be decided. */
  readonly verdict: 'none' | 'admitted' | 'undecided' | PlanRefusal;
  /** The plan of an admitted request. */
  readonly plan?: ObjectKey;
  /** `<namespace>/<name>` of the Consumer, or the address of a caller without a known key. */
  readonly consumer?: string;
  /** The limits that count it. */
  readonly limits: readonly ExplainedPlanLimit[];
}

export interface ExplainedPlanLimit {
  readonly name: string;
  readonly requests: number;
  readonly per: string;
  readonly of: string;
}

/** @returns the explanation, and the attributes of the request with those of its consumer */
export function explainPlans(
  { apiKeySecrets }: Pick<PushContext, 'apiKeySecrets'>,
  { plans: bindings }: PolicyBindings,
  service: Service,
  bag: AttributeBag,
): { readonly explained: ExplainedPlans; readonly bag: AttributeBag } {
  const objects = bindings.plansOf(service);
  const plans = objects.map(keyOf);
  const without = (verdict: ExplainedPlans['verdict']) => ({ explained: { plans, verdict, limits: [] }, bag });
  if (objects.length === 0) return without('none');
  const resolve = createPlanResolver();
  const compiled = objects.map((object) => {
    const resolved = resolve(object, bindings, apiKeySecrets);
    const { inclusion, limits } = planConditionsOf(resolved);
    const conditions = { inclusion: compile(inclusion), limits: compile(limits) };
    return compilePlan(planNameOf(object), resolved, conditions, inOneStep(indexKeys(resolved.consumers)));
  });
  const verdict = assessPlans({ plans: compiled, isIncomplete: false }, bag);
  if (verdict.type === 'undecided') return without('undecided');
  if (verdict.type === 'refused') return without(verdict.reason);
  const textOf = (name: string): string => String(verdict.attributes.get(name)?.value ?? '');
  const [namespace = '', name = ''] = textOf('api.plan').split('/');
  const plan = objectKey('Plan', namespace, name);
  const limits = objects.find((object) => keyOf(object) === plan)?.body.limits ?? [];
  const charged = new Set(verdict.charges.map(({ policy }) => policy));
  return {
    explained: {
      ...{ plans, verdict: 'admitted', plan, consumer: textOf('api.consumer') },
      limits: limits.filter((limit) => charged.has(limit.name)),
    },
    bag: bag.overlaid(verdict.attributes),
  };
}

function compile(spec: BoundQuotaSpec | undefined) {
  return spec && compileQuotaSpecs([spec]);
}
