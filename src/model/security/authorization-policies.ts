import type { MeshObject } from '../../config/object.js';
import type { AuthorizationPolicySpec } from '../../config/security/authorization-policy.js';
import { MAX_WORKLOAD_POLICY_BYTES, policyBytes } from '../../config/security/authorization-policy-size.js';
import { memoize } from '../memo.js';
import type { Labels } from './namespace-mutual-tls.js';
import { selectedLabels } from './oldest-first.js';
import {
  createWorkloadPolicyIndexer,
  policyKeyOf,
  type WorkloadPolicy,
  type WorkloadPolicyIndex,
  type WorkloadPolicySource,
} from './workload-policies.js';

/** The AuthorizationPolicies of one workload. The same object while they stay the same. */
export interface WorkloadAuthorization {
  /** Equal ones have equal keys. Empty without policies. */
  readonly key: string;
  /** Sorted by object key. */
  readonly policies: readonly AuthorizationPolicy[];
  /** Whether the policies together take more than MAX_WORKLOAD_POLICY_BYTES: then the workload rejects everything. */
  readonly isTooLarge: boolean;
}

export interface AuthorizationPolicy {
  readonly name: string;
  readonly namespace: string;
  readonly spec: AuthorizationPolicySpec;
}

/**
 * The AuthorizationPolicies of a snapshot, by workload: those of its namespace and of the root namespace that select it
 * (docs/reference/xds.md#authorization). The same object while no policy changes.
 */
export interface AuthorizationPolicies {
  ofWorkload(namespace: string, labels: Labels): WorkloadAuthorization;
  /** Whether the policies would be too large for a workload of the namespace that all of them select. */
  canBeTooLarge(namespace: string): boolean;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type AuthorizationPolicyIndexer = (source: WorkloadPolicySource) => AuthorizationPolicies;

interface Entry extends AuthorizationPolicy, WorkloadPolicy {
  /** Estimated size of its rules in one filter. */
  readonly bytes: number;
}

export function createAuthorizationPolicyIndexer(): AuthorizationPolicyIndexer {
  const indexOf = createWorkloadPolicyIndexer<Entry, WorkloadAuthorization>({
    kind: 'AuthorizationPolicy',
    read: readEntry,
    none: { key: '', policies: [], isTooLarge: false },
    combine: (policies, key) => ({ key, policies, isTooLarge: areTooLarge(policies) }),
  });
  const policiesOf = memoize(
    ({ ofWorkload, candidatesOf }: WorkloadPolicyIndex<Entry, WorkloadAuthorization>): AuthorizationPolicies => ({
      ofWorkload,
      canBeTooLarge: (namespace) => areTooLarge(candidatesOf(namespace)),
    }),
  );
  return (source) => policiesOf(indexOf(source));
}

function readEntry(object: MeshObject): Entry {
  const spec = object.body as AuthorizationPolicySpec;
  const { name, namespace } = object.metadata;
  return { name, namespace, spec, key: policyKeyOf(object), labels: selectedLabels(spec), bytes: policyBytes(spec) };
}

function areTooLarge(policies: readonly Entry[]): boolean {
  return policies.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_WORKLOAD_POLICY_BYTES;
}
