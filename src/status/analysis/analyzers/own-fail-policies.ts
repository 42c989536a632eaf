import type { PolicyMeshConfig } from '../../../config/mesh/mesh-config.js';
import type { NetworkFailPolicy } from '../../../config/policy/transport-config.js';
import {
  failPolicyText,
  keptFailPolicies,
  keptIndexOf,
  OUTBOUND_FAIL_POLICIES,
  ownFailPolicyOf,
} from '../../../model/policy/own-fail-policy.js';
import type { Service } from '../../../model/service.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { whyNoChecks } from './unenforced-policies.js';

/**
 * Fail policies in annotations of Services and ServiceEntries that have no effect; one message for an entry with
 * several hosts.
 */
export const findOwnFailPolicies: Analyzer = ({ services, mesh, enforcement }) => {
  const annotated = services.filter(({ failPolicy }) => failPolicy !== undefined);
  if (annotated.length === 0) return [];
  const bySource = new Map(annotated.map((service) => [service.source, service]));
  const unchecked = whyNoChecks(mesh.policy, enforcement);
  const kept = keptFailPolicies(annotated, mesh.policy);
  return [...bySource.values()].flatMap((service) =>
    unchecked === undefined ? sharedRetries(service, kept, mesh.policy) : withoutChecks(service, unchecked),
  );
};

function withoutChecks({ source }: Service, why: string): readonly AnalysisMessage[] {
  return [createMessage('failPolicyWithoutChecks', { object: source }, `no proxy checks its requests: ${why}`)];
}

/** Checks of outbound HTTP requests can have only a fixed number of different fail policies. */
function sharedRetries(
  service: Service,
  kept: readonly NetworkFailPolicy[],
  mesh: PolicyMeshConfig,
): readonly AnalysisMessage[] {
  const own = ownFailPolicyOf(service, mesh);
  if (own === undefined || !mesh.enableClientSidePolicyCheck) return [];
  const served = kept[keptIndexOf(kept, own)];
  if (served === undefined || failPolicyText(served) === failPolicyText(own)) return [];
  const text = `the mesh has more than ${OUTBOUND_FAIL_POLICIES} different fail policies of services, so checks of HTTP requests on the calling side have ${served.policy} without retries`;
  return [createMessage('failPolicyShared', { object: service.source }, text)];
}
