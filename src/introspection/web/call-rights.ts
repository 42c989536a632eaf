import { judgeRequest } from '../../generators/authorization/judge-request.js';
import { trustDomainsOf } from '../../generators/security/trusted-names.js';
import { memoize } from '../../model/memo.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { WorkloadAuthorization } from '../../model/security/authorization-policies.js';
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
    distinctWorkloads(endpointsOfService(context, service)).map(({ namespace, labels }) =>
      context.authorizationPolicies.ofWorkload(namespace, labels),
    ),
  );
  const trustDomains = trustDomainsOf(context.mesh, { trustDomain: '' });
  return callers.map((caller) => {
    if (!servicesOf(context.viewOf(caller.namespace)).has(service)) return { type: 'unseen' };
    const rights = Array.from(policies, (ofWorkload) => rightByPolicies(ofWorkload, trustDomains, caller));
    return (
      rights.find(({ type }) => type === 'denied') ?? rights.find(({ type }) => type === 'some') ?? { type: 'allowed' }
    );
  });
}

const servicesOf = memoize((view: ServiceView): ReadonlySet<Service> => new Set(view.services));

/** The right that follows from the caller's identity alone; all else about the request is not known. */
export function rightByPolicies(
  authorization: WorkloadAuthorization,
  trustDomains: readonly string[],
  { uri }: CallerIdentity,
): CallRight {
  const { verdict } = judgeRequest(authorization, trustDomains, { principal: uri });
  switch (verdict.type) {
    case 'allowed':
      return verdict;
    case 'denied':
      return { type: 'denied', policies: verdict.by.map(({ object }) => object) };
    case 'open':
      return { type: 'some', policies: [...verdict.deny, ...(verdict.allow ?? [])].map(({ object }) => object) };
  }
}
