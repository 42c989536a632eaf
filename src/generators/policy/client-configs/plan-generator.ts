import type { ResolvedPlan } from '../../../config/plans/resolved-plan.js';
import type { EncodedResource } from '../../../envoy/encoded-resource.js';
import { frameNamedResource } from '../../../envoy/message-encoder.js';
import { createMemo } from '../../../model/memo.js';
import { checkServerOf } from '../../../model/policy/policy-servers.js';
import type { PolicyContext, ServicePolicies } from '../../../model/policy/service-policies.js';
import { POLICY_TYPE_URLS } from '../../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../../policy/wire/config-encoder.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../../generator.js';
import { plansAffectedBy } from '../affected-by.js';

/**
 * Plans with their consumers, by namespace and name, for policy servers alone: a workload must not see the hashes of the
 * keys of its callers. A plan is encoded again only when it has changed.
 */
export function createPlanGenerator(
  configs: ConfigEncoder,
  policiesOf: (context: PolicyContext) => ServicePolicies,
): WildcardGenerator {
  const memo = createMemo<EncodedResource>();
  const resourceOf = (name: string, plan: ResolvedPlan): EncodedResource =>
    memo.of([plan], name, () => frameNamedResource(POLICY_TYPE_URLS.plan, name, configs.plan(plan)));

  const part: ResourcePart<Scope> = {
    name: 'plans',
    scope: ({ mesh }, { seesAllPolicies = true }) =>
      seesAllPolicies && checkServerOf(mesh) !== undefined ? { key: '' } : undefined,
    generate: (context) => {
      const { planNames, plan } = policiesOf(context);
      const resources = planNames.flatMap((name) => {
        const resolved = plan(name);
        return resolved === undefined ? [] : resourceOf(name, resolved);
      });
      return { resources, findings: [] };
    },
  };
  return { mode: 'wildcard', typeUrl: POLICY_TYPE_URLS.plan, parts: [part], affectedBy: plansAffectedBy };
}
