import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import { createMemo } from '../../model/memo.js';
import { failPolicyText, keptFailPolicies, keptIndexOf, ownFailPolicyOf } from '../../model/policy/own-fail-policy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';

/** The fail policies that services set for themselves, and the check filter (slot) of each. */
export interface OutboundFailPolicies {
  /** Whether any service sets one. */
  readonly hasAny: boolean;
  /** Contains all of them. */
  readonly key: string;
  /** @param slot from 1; the result is undefined for a slot that no service uses */
  inSlot(slot: number): NetworkFailPolicy | undefined;
  slotOf(service: Service): number;
}

/** The slot of the check with the proxy's fail policy, for services that set none. */
export const SLOT_OF_PROXY = 0;

export type FailPolicyContext = Pick<PushContext, 'mesh' | 'services' | 'shadowedByHost'>;

/** Computed once for each set of services and mesh config. */
export function createOutboundFailPolicies(): (context: FailPolicyContext) => OutboundFailPolicies {
  const memo = createMemo<OutboundFailPolicies>();
  return ({ mesh: { policy: mesh }, services, shadowedByHost: shadowed }) =>
    memo.of([mesh, services, shadowed], '', () => {
      const kept = keptFailPolicies(allServices(services, shadowed), mesh);
      return {
        hasAny: kept.length > 0,
        key: kept.map(failPolicyText).join(' '),
        inSlot: (slot) => kept[slot - 1],
        slotOf: (service) => {
          const own = ownFailPolicyOf(service, mesh);
          return own === undefined ? SLOT_OF_PROXY : keptIndexOf(kept, own) + 1;
        },
      };
    });
}

function* allServices(services: readonly Service[], shadowed: FailPolicyContext['shadowedByHost']): Iterable<Service> {
  yield* services;
  for (const [, others] of shadowed.entries()) yield* others;
}
