import { createRuleHeaders, type RuleHeaderTable } from '../../model/policy/rules/rule-headers.js';
import { createRuledServices } from '../../model/policy/rules/ruled-services.js';
import type { PolicyContext } from '../../model/policy/service-policies.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { createBoundHosts } from './bound-hosts.js';
import { createFastServices, type FastServices } from './fast/fast-services.js';
import {
  createOutboundFailPolicies,
  type FailPolicyContext,
  type OutboundFailPolicies,
} from './outbound-fail-policies.js';
import { createPolicyServerLookup } from './policy-server-hosts.js';
import { createPolicyFacts, type PolicyFactsOf } from './proxy-facts.js';

/** What listeners, routes and filters of the policy plugin look up in a snapshot. Each lookup has one memory. */
export interface PolicyLookups {
  readonly factsOf: PolicyFactsOf;
  readonly failPoliciesOf: (context: FailPolicyContext) => OutboundFailPolicies;
  /**
   * Whether requests to a service are checked. The embedded server is asked only about services that a binding or a rule
   * acts on, so that an outage of it does not affect the others.
   */
  readonly isChecked: (context: PushContext, service: Service) => boolean;
  /** Whether a rule acts on a service, so that its requests are checked even if no quota needs it. */
  readonly isRuled: (context: PushContext, service: Service) => boolean;
  /** The headers that rules change. */
  readonly ruleHeadersOf: (context: PushContext) => RuleHeaderTable;
  readonly fastServicesOf: (context: PolicyContext) => FastServices;
}

export function createPolicyLookups(): PolicyLookups {
  const boundHostsOf = createBoundHosts();
  const isRuledIn = createRuledServices();
  const isPolicyServer = createPolicyServerLookup();
  return {
    factsOf: createPolicyFacts(),
    failPoliciesOf: createOutboundFailPolicies(),
    fastServicesOf: createFastServices(),
    ruleHeadersOf: createRuleHeaders(),
    isRuled: (context, service) => isRuledIn(context)(service),
    isChecked: (context, service) =>
      !isPolicyServer(context, service.hostname) &&
      (context.mesh.policy.mixerCheckServer !== 'embedded' ||
        boundHostsOf(context)(service) ||
        isRuledIn(context)(service)),
  };
}
