import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import { memoize } from '../../model/memo.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { AuthorizationPolicy } from '../../model/security/authorization-policies.js';
import type { Service } from '../../model/service.js';
import { distinctWorkloads, endpointsOfService } from './service-facts.js';

/** Whether workloads of an identity may call a service. */
export type CallRight =
  /** The caller's sidecar does not know the service (exportTo). */
  | { readonly type: 'unseen' }
  | { readonly type: 'allowed' }
  /** Method, path, token or another property of the request decides. */
  | { readonly type: 'some'; readonly policies: readonly string[] }
  | { readonly type: 'denied'; readonly policies: readonly string[] };

/** The identity of callers. */
export interface CallerIdentity {
  /** `spiffe://…`; empty for workloads without an identity. */
  readonly uri: string;
  readonly namespace: string;
}

type Rule = NonNullable<AuthorizationPolicySpec['rules']>[number];
type Match = 'all' | 'some' | 'none';

/**
 * Decides by the policies of the service's workloads. With several kinds of workloads, the strictest one counts. What
 * depends only on the service is read once for all callers: a service may have thousands of endpoints.
 *
 * @returns the rights in the order of the callers
 */
export function callRights(
  context: PushContext,
  callers: readonly CallerIdentity[],
  service: Service,
): readonly CallRight[] {
  const policies = new Set(
    distinctWorkloads(endpointsOfService(context, service)).map(
      ({ namespace, labels }) => context.authorizationPolicies.ofWorkload(namespace, labels).policies,
    ),
  );
  return callers.map((caller) => {
    if (!servicesOf(context.viewOf(caller.namespace)).has(service)) return { type: 'unseen' };
    const rights = Array.from(policies, (ofWorkload) => rightByPolicies(ofWorkload, caller));
    return (
      rights.find(({ type }) => type === 'denied') ?? rights.find(({ type }) => type === 'some') ?? { type: 'allowed' }
    );
  });
}

const servicesOf = memoize((view: ServiceView): ReadonlySet<Service> => new Set(view.services));

export function rightByPolicies(policies: readonly AuthorizationPolicy[], caller: CallerIdentity): CallRight {
  const ofAction = (action: string) => policies.filter(({ spec }) => spec.action === action);
  const matching = (list: readonly AuthorizationPolicy[], wanted: Match) =>
    list.filter(({ spec }) => bestMatch(spec.rules ?? [], caller) === wanted).map(nameOf);
  const denied = matching(ofAction('DENY'), 'all');
  if (denied.length > 0) return { type: 'denied', policies: denied };
  const allow = ofAction('ALLOW');
  const allowed = allow.length === 0 || matching(allow, 'all').length > 0;
  const sometimes = matching(allow, 'some');
  if (!allowed && sometimes.length === 0) return { type: 'denied', policies: allow.map(nameOf) };
  const deciding = [...matching(ofAction('DENY'), 'some'), ...(allowed ? [] : sometimes)];
  return deciding.length > 0 ? { type: 'some', policies: deciding } : { type: 'allowed' };
}

function nameOf({ namespace, name }: AuthorizationPolicy): string {
  return `AuthorizationPolicy/${namespace}/${name}`;
}

function bestMatch(rules: readonly Rule[], caller: CallerIdentity): Match {
  const matches = rules.map((rule) => matchOf(rule, caller));
  if (matches.includes('all')) return 'all';
  return matches.includes('some') ? 'some' : 'none';
}

function matchOf({ from, to, when }: Rule, caller: CallerIdentity): Match {
  const sources = from === undefined ? (['all'] as const) : from.map(({ source }) => matchOfSource(source, caller));
  if (sources.every((match) => match === 'none')) return 'none';
  const isWhole = to === undefined && when === undefined && sources.some((match) => match === 'all');
  return isWhole ? 'all' : 'some';
}

function matchOfSource(source: NonNullable<Rule['from']>[number]['source'], { uri, namespace }: CallerIdentity): Match {
  const principal = uri.replace(/^spiffe:\/\//, '');
  const isNamed = (values: readonly string[] | undefined, text: string): boolean =>
    values?.some((value) => matchesPattern(value, text)) ?? false;
  if (source.principals !== undefined && !isNamed(source.principals, principal)) return 'none';
  if (isNamed(source.notPrincipals, principal)) return 'none';
  if (source.namespaces !== undefined && !isNamed(source.namespaces, namespace)) return 'none';
  if (isNamed(source.notNamespaces, namespace)) return 'none';
  const others = [source.ipBlocks, source.notIpBlocks, source.requestPrincipals, source.notRequestPrincipals];
  return others.every((values) => values === undefined) ? 'all' : 'some';
}

/** `*` at the begin or end of a value stands for any text; alone, for any text that is not empty. */
function matchesPattern(pattern: string, text: string): boolean {
  if (pattern === '*') return text !== '';
  if (pattern.startsWith('*')) return text.endsWith(pattern.slice(1));
  if (pattern.endsWith('*')) return text.startsWith(pattern.slice(0, -1));
  return pattern === text;
}
