import { type ObjectKey, objectKey } from '../../config/object.js';
import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import type { Policy } from '../../generated/envoy/config/rbac/v3/Policy.js';
import { createMemo } from '../../model/memo.js';
import type { AuthorizationPolicy, WorkloadAuthorization } from '../../model/security/authorization-policies.js';
import { anyOf, FAILS, matchRbacPolicy, type RequestFacts, type RuleMatch } from './match-rbac.js';
import { buildRbacPolicy } from './rbac-policy.js';

type Action = AuthorizationPolicySpec['action'];

/** How one policy of a workload decides on a request. */
export interface PolicyJudgement {
  readonly object: ObjectKey;
  readonly action: Action;
  readonly match: RuleMatch;
  /** The first rule with this match, from 1; absent if no rule matches. */
  readonly rule?: number;
}

/** `denied`, `open`: the policies that decide. `open`: properties of the request that are not known decide. */
export type AuthorizationVerdict =
  | { readonly type: 'allowed' }
  | {
      readonly type: 'denied';
      readonly because: 'denied' | 'notAllowed' | 'tooLarge';
      readonly by: readonly PolicyJudgement[];
    }
  | {
      readonly type: 'open';
      readonly deny: readonly PolicyJudgement[];
      /** Undefined if a policy allows the request whatever is not known. */
      readonly allow: readonly PolicyJudgement[] | undefined;
    };

export interface AuthorizationJudgement {
  readonly policies: readonly PolicyJudgement[];
  readonly verdict: AuthorizationVerdict;
}

/**
 * Decides on an HTTP request as the filters of a workload do: with the same rules, and in the same order.
 *
 * @param trustDomains the own trust domain and its aliases
 */
export function judgeRequest(
  { policies, isTooLarge }: WorkloadAuthorization,
  trustDomains: readonly string[],
  facts: RequestFacts,
): AuthorizationJudgement {
  const judged = policies.map((policy) => judgePolicy(policy, trustDomains, facts));
  if (isTooLarge) return { policies: judged, verdict: { type: 'denied', because: 'tooLarge', by: judged } };
  return { policies: judged, verdict: verdictOf(judged) };
}

/** `rule 2 matches`, for people. */
export function judgementText({ match, rule }: Pick<PolicyJudgement, 'match' | 'rule'>): string {
  switch (match.type) {
    case 'yes':
      return `rule ${rule} matches`;
    case 'no':
      return 'no rule matches';
    case 'open':
      return `rule ${rule} depends on ${match.needs.join(', ')}`;
  }
}

function verdictOf(judged: readonly PolicyJudgement[]): AuthorizationVerdict {
  const of = (action: Action, ...types: readonly RuleMatch['type'][]) =>
    judged.filter((each) => each.action === action && types.includes(each.match.type));
  const denying = of('DENY', 'yes');
  if (denying.length > 0) return { type: 'denied', because: 'denied', by: denying };
  const refusing = of('ALLOW', 'no');
  const isAllowed = of('ALLOW', 'yes').length > 0;
  const [openDeny, openAllow] = [of('DENY', 'open'), of('ALLOW', 'open')];
  if (!isAllowed && openAllow.length === 0 && refusing.length > 0) {
    return { type: 'denied', because: 'notAllowed', by: refusing };
  }
  const allow = isAllowed || openAllow.length === 0 ? undefined : openAllow;
  return openDeny.length === 0 && allow === undefined ? { type: 'allowed' } : { type: 'open', deny: openDeny, allow };
}

function judgePolicy(policy: AuthorizationPolicy, trustDomains: readonly string[], facts: RequestFacts) {
  const { namespace, name, spec } = policy;
  const matches = rulesOfPolicy(policy, trustDomains).map((rule) =>
    rule === undefined ? FAILS : matchRbacPolicy(rule, facts),
  );
  const match = anyOf(matches);
  const first = matches.findIndex(({ type }) => type === match.type);
  const judgement = { object: objectKey('AuthorizationPolicy', namespace, name), action: spec.action, match };
  return match.type === 'no' ? judgement : { ...judgement, rule: first + 1 };
}

const memo = createMemo<readonly (Policy | undefined)[]>();

/** Built once for all callers of a service. */
function rulesOfPolicy(policy: AuthorizationPolicy, trustDomains: readonly string[]) {
  const { action, rules = [] } = policy.spec;
  return memo.of([policy], trustDomains.join(), () =>
    rules.map((rule) => buildRbacPolicy(rule, { action, as: 'http', trustDomains })),
  );
}
