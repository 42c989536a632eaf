import type { PolicyMeshConfig } from '../../config/mesh/mesh-config.js';
import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import type { Service } from '../service.js';
import { networkFailPolicyOf, type ProxyPolicy } from './proxy-policy.js';

type Mesh = Pick<PolicyMeshConfig, 'policyCheckFailOpen'>;

/**
 * The network fail policy of a service's own, which overrides that of the mesh and of its proxies
 * (docs/reference/policy-client.md#serviceconfig, docs/reference/errors.md#failures). Where its annotations leave a
 * field out, it has the field of the mesh config. Undefined for a service without such annotations.
 */
export function ownFailPolicyOf(
  { failPolicy }: Pick<Service, 'failPolicy'>,
  { policyCheckFailOpen }: Mesh,
): NetworkFailPolicy | undefined {
  if (failPolicy === undefined) return undefined;
  const { policy, maxRetry, baseRetryWaitMs, maxRetryWaitMs } = failPolicy;
  return networkFailPolicyOf({
    isFailOpen: policy === undefined ? policyCheckFailOpen : policy === 'FAIL_OPEN',
    maxRetry,
    baseRetryWaitMs,
    maxRetryWaitMs,
  });
}

/** The same proxy's policy for checks of a service with a fail policy of its own. */
export function withFailPolicy(policy: ProxyPolicy, own: NetworkFailPolicy | undefined): ProxyPolicy {
  if (own === undefined) return policy;
  return {
    ...policy,
    key: `${policy.key} ${failPolicyText(own)}`,
    transport: { ...policy.transport, networkFailPolicy: own },
  };
}

/** Short and unique: `FAIL_CLOSE,3,80ms,1s`. */
export function failPolicyText({ policy, maxRetry, baseRetryWait, maxRetryWait }: NetworkFailPolicy): string {
  return [policy, maxRetry, baseRetryWait, maxRetryWait].join();
}

/**
 * The fail policies of services' own that one proxy has for HTTP requests it sends. Each is a filter of every listener
 * that checks such requests, so the number is fixed: another filter would replace listeners.
 */
export const OUTBOUND_FAIL_POLICIES = 6;

/**
 * The fail policies of services' own, sorted. Of more than `OUTBOUND_FAIL_POLICIES` those that most namespaces use are
 * kept, and FAIL_OPEN and FAIL_CLOSE without retries, which all other services share.
 */
export function keptFailPolicies(services: Iterable<Service>, mesh: Mesh): readonly NetworkFailPolicy[] {
  const all = new Map<string, { readonly own: NetworkFailPolicy; readonly namespaces: Set<string> }>();
  for (const service of services) {
    const own = ownFailPolicyOf(service, mesh);
    if (own === undefined) continue;
    const text = failPolicyText(own);
    const known = all.get(text) ?? { own, namespaces: new Set() };
    all.set(text, known);
    known.namespaces.add(service.namespace);
  }
  const sorted = [...all].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, each]) => each);
  if (sorted.length <= OUTBOUND_FAIL_POLICIES) return sorted.map(({ own }) => own);
  const mostUsed = sorted
    .toSorted((first, second) => second.namespaces.size - first.namespaces.size)
    .slice(0, OUTBOUND_FAIL_POLICIES - 2);
  return [...mostUsed.map(({ own }) => own), withoutRetries('FAIL_OPEN'), withoutRetries('FAIL_CLOSE')];
}

/** Where the policy that holds for HTTP requests to a service is among the kept ones. */
export function keptIndexOf(kept: readonly NetworkFailPolicy[], own: NetworkFailPolicy): number {
  const find = (text: string): number => kept.findIndex((each) => failPolicyText(each) === text);
  const exact = find(failPolicyText(own));
  return exact === -1 ? find(failPolicyText(withoutRetries(own.policy))) : exact;
}

function withoutRetries(policy: NetworkFailPolicy['policy']): NetworkFailPolicy {
  const isFailOpen = policy === 'FAIL_OPEN';
  return networkFailPolicyOf({
    isFailOpen,
    maxRetry: undefined,
    baseRetryWaitMs: undefined,
    maxRetryWaitMs: undefined,
  });
}
