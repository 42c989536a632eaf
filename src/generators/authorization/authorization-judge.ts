import { appendTo } from '../../base/append-to.js';
import type { MeshObject } from '../../config/object.js';
import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import type { AuthorizationPolicy } from '../../model/security/authorization-policies.js';
import { judgeRequest } from './judge-request.js';
import type { RequestFacts } from './match-rbac.js';

/** The policies that decide, and how their identities are read. */
export interface JudgedBy {
  readonly policies: readonly MeshObject[];
  readonly rootNamespace: string;
  /** The own trust domain and its aliases. */
  readonly trustDomains: readonly string[];
}

interface Question {
  readonly namespace: string;
  /** Of the workload. A label that is absent is not known. */
  readonly labels: ReadonlyMap<string, string>;
  readonly facts: RequestFacts;
}

type Judgement = { readonly type: 'allowed' | 'denied' } | { readonly type: 'open'; readonly needs: readonly string[] };

/** Decides by AuthorizationPolicies, as the filters of workloads do, about requests that this process knows only in part. */
export function createAuthorizationJudge({
  policies,
  rootNamespace,
  trustDomains,
}: JudgedBy): (question: Question) => Judgement {
  const byNamespace = new Map<string, AuthorizationPolicy[]>();
  for (const { metadata, body } of policies) {
    const { name, namespace } = metadata;
    appendTo(byNamespace, namespace, { name, namespace, spec: body as AuthorizationPolicySpec });
  }
  const ofAll = byNamespace.get(rootNamespace) ?? [];
  return ({ namespace, labels, facts }) => {
    const ofNamespace = namespace === rootNamespace ? [] : (byNamespace.get(namespace) ?? []);
    const candidates = [...ofAll, ...ofNamespace];
    const needs = new Set(candidates.flatMap((policy) => unknownLabels(policy, labels)));
    if (needs.size > 0) return { type: 'open', needs: [...needs].sort() };
    const selected = candidates.filter(({ spec }) =>
      Object.entries(spec.selector?.matchLabels ?? {}).every(([key, value]) => labels.get(key) === value),
    );
    const { verdict } = judgeRequest({ key: '', policies: selected, isTooLarge: false }, trustDomains, facts);
    if (verdict.type !== 'open') return { type: verdict.type };
    const open = [...verdict.deny, ...(verdict.allow ?? [])];
    const named = open.flatMap(({ match }) => (match.type === 'open' ? match.needs : []));
    return { type: 'open', needs: [...new Set(named)].sort() };
  };
}

/** The labels that a selector reads and that are not known. */
function unknownLabels({ spec }: AuthorizationPolicy, labels: ReadonlyMap<string, string>): readonly string[] {
  const keys = Object.keys(spec.selector?.matchLabels ?? {}).filter((key) => !labels.has(key));
  return keys.map((key) => `destination.labels[${key}]`);
}
