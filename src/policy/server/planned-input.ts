import { whenSettled } from '../../base/when-settled.js';
import { type AttributeBag, type AttributeLayer, EMPTY_LAYER } from '../client/attribute-bag.js';
import type { PlanCharge } from '../handlers/policy-handler.js';
import { assessPlans, type PlanRefused, type ServicePlans } from '../plans/assess-plans.js';
import type { CompiledService } from './compiled-services.js';
import type { CheckEnvironment } from './decide.js';

/** What the plans of a service make of a call. */
export interface Planned {
  /** Of consumer and plan; empty without a plan. */
  readonly layer: AttributeLayer;
  readonly planCharges?: readonly PlanCharge[];
  readonly refusal?: PlanRefused;
  readonly isUndecided: boolean;
}

const WITHOUT_PLAN: Planned = { layer: EMPTY_LAYER, isUndecided: false };
const UNDECIDED: Planned = { layer: EMPTY_LAYER, isUndecided: true };

/** Assesses the plans of the service; without a promise when they are compiled. */
export function planOf(
  { plans }: Pick<CheckEnvironment, 'plans'>,
  { plans: names }: CompiledService,
  bag: AttributeBag,
): Planned | Promise<Planned> {
  if (names === undefined) return WITHOUT_PLAN;
  const assess = (ofService: ServicePlans): Planned => {
    const verdict = assessPlans(ofService, bag);
    switch (verdict.type) {
      case 'admitted':
        return { layer: verdict.attributes, planCharges: verdict.charges, isUndecided: verdict.isUndecided };
      case 'refused':
        return { layer: EMPTY_LAYER, refusal: verdict, isUndecided: false };
      case 'undecided':
        return UNDECIDED;
    }
  };
  const found = plans.of(names);
  return whenSettled(found, assess);
}
