import type { ResolvedPlan } from '../../config/plans/resolved-plan.js';
import type { BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { AttributeBag, AttributeLayer } from '../client/attribute-bag.js';
import type { CompiledQuotaSpecs } from '../client/compile-quota-specs.js';
import type { PlanCharge } from '../handlers/policy-handler.js';
import type { KeyOwners } from './index-keys.js';
import { consumerLayer } from './plan-attributes.js';
import { quotaLimitOf } from './plan-limits.js';

/** A plan, ready for requests. Never changes. */
export interface CompiledPlan {
  /** `<namespace>/<name>` */
  readonly name: string;
  readonly anonymous: ResolvedPlan['anonymous'];
  /** Whether an unknown key may be one that is not read yet. */
  readonly isLoading: boolean;
  /** The charges of all limits. */
  readonly charges: readonly PlanCharge[];
  /** The attributes of the consumer that has the key; undefined when no consumer of the plan has it. */
  ownerOf(keyHash: string): AttributeLayer | undefined;
  /** Whether the plan includes the request; undecided where a condition cannot be used, or not in time. */
  includes(bag: AttributeBag): boolean | 'undecided';
  /** The charges of the limits that match. @param bag with the attributes of the consumer */
  assess(bag: AttributeBag): PlanCharges;
}

export interface PlanCharges {
  readonly charges: readonly PlanCharge[];
  /** Whether a limit that cannot be compared with the request may count it. */
  readonly isUndecided: boolean;
}

/** The conditions of a plan, in the form of QuotaSpecs, with whose code they are compiled; undefined without conditions. */
export interface PlanConditions<Form> {
  /** Charges once when the plan includes the request. */
  readonly inclusion: Form | undefined;
  /** Charges the names of the limits that match. */
  readonly limits: Form | undefined;
}

/** The conditions to compile. */
export function planConditionsOf({ match, limits }: ResolvedPlan): PlanConditions<BoundQuotaSpec> {
  return {
    inclusion: match.length === 0 ? undefined : { rules: [{ match, quotas: [charging('included')] }] },
    limits: limits.every((limit) => limit.match.length === 0)
      ? undefined
      : { rules: limits.map((limit) => ({ match: limit.match, quotas: [charging(limit.name)] })) },
  };
}

function charging(quota: string) {
  return { quota, charge: 1 };
}

/** @param owners of all keys, as `indexKeys` finds them */
export function compilePlan(
  name: string,
  plan: ResolvedPlan,
  { inclusion, limits }: PlanConditions<CompiledQuotaSpecs>,
  owners: KeyOwners,
): CompiledPlan {
  const refundCodes = plan.refund?.responseCodes.join(' ');
  const charges = plan.limits.map(
    (limit): PlanCharge => ({
      policy: limit.name,
      limit: quotaLimitOf(name, limit),
      ...(refundCodes !== undefined && { refundCodes }),
    }),
  );
  const byName = new Map(charges.map((charge) => [charge.policy, charge]));
  const all: PlanCharges = { charges, isUndecided: false };
  // Made at the first request with the key.
  const layers = new Map<string, AttributeLayer>();

  return {
    name,
    anonymous: plan.anonymous,
    isLoading: plan.isLoading ?? false,
    charges,
    ownerOf: (keyHash) => {
      const known = layers.get(keyHash);
      if (known !== undefined) return known;
      const consumer = owners.get(keyHash);
      if (consumer === undefined) return undefined;
      const layer = consumerLayer(name, consumer, keyHash);
      layers.set(keyHash, layer);
      return layer;
    },
    includes: (bag) => {
      if (inclusion === undefined) return true;
      const { charges: found, isUndecided } = inclusion.assess(bag);
      return found.length > 0 || (isUndecided ? 'undecided' : false);
    },
    assess: (bag) => {
      if (limits === undefined) return all;
      const { charges: matching, isUndecided } = limits.assess(bag);
      return { charges: matching.flatMap(({ quota }) => byName.get(quota) ?? []), isUndecided };
    },
  };
}
