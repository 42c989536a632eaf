import type { RbacRules } from '../../envoy/rbac.js';
import type { Policy } from '../../generated/envoy/config/rbac/v3/Policy.js';
import type { WorkloadAuthorization } from '../../model/security/authorization-policies.js';
import { ANY_PERMISSION } from './permissions.js';
import { ANY_PRINCIPAL } from './principals.js';
import { buildRbacPolicy, type RuleContext } from './rbac-policy.js';

/** The order of the filters: a request that is rejected is recorded, and DENY has precedence over ALLOW. */
export const ACTIONS = ['AUDIT', 'DENY', 'ALLOW'] as const;
const RBAC_ACTION = { AUDIT: 'audit', DENY: 'deny', ALLOW: 'allow' } as const;

/** Instead of rules that are too large: none may be left out, because a request could pass. */
export const EVERYTHING_DENIED: RbacRules = {
  action: 'deny',
  policies: { 'policies-too-large': { permissions: [ANY_PERMISSION], principals: [ANY_PRINCIPAL] } },
};

/** The rules of all policies with the action; undefined without such a policy. ALLOW without rules rejects everything. */
export function rulesOf({ policies }: WorkloadAuthorization, context: RuleContext): RbacRules | undefined {
  const ofAction = policies.filter(({ spec }) => spec.action === context.action);
  if (ofAction.length === 0) return undefined;
  const built: Record<string, Policy> = {};
  for (const { namespace, name, spec } of ofAction) {
    for (const [index, rule] of (spec.rules ?? []).entries()) {
      const policy = buildRbacPolicy(rule, context);
      if (policy !== undefined) built[`ns[${namespace}]-policy[${name}]-rule[${index}]`] = policy;
    }
  }
  if (context.action !== 'ALLOW' && Object.keys(built).length === 0) return undefined;
  return { action: RBAC_ACTION[context.action], policies: built };
}
