import type { PolicyMeshConfig } from '../../config/mesh/mesh-config.js';
import type { NetworkFailPolicy } from '../../config/policy/transport-config.js';
import type { Service } from '../service.js';
import { networkFailPolicyOf, type ProxyPolicy } from './proxy-policy.js';

type Mesh = Pick<PolicyMeshConfig, 'policyCheckFailOpen'>;

/**
 * The network fail policy of a single service, which overrides that of the mesh and of its proxies
 * (docs/reference/policy-client.md#serviceconfig, docs/reference/errors.md#failures). Fields that its annotations leave
 * out are those of the mesh config. Undefined for a service without such annotations.
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

/** The policy of a proxy for checks of a service with a fail policy of its own. */
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
 * Number of fail policies of single services that one proxy has for outbound HTTP requests. Each is a filter of every
 * listener that checks such requests, so the number is fixed: another filter would replace listeners.
 */
export const OUTBOUND_FAIL_POLICIES = 6;

/**
 * The fail policies of single services, sorted. Of more than `OUTBOUND_FAIL_POLICIES`, those that most namespaces use
 * are kept, and FAIL_OPEN and FAIL_CLOSE without retries, which all other services share.
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

/** The position among the kept policies of the one that applies to HTTP requests to a service. */
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
