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
 * Fail policies that annotations give Services and ServiceEntries, and that have no effect. An entry with several hosts is
 * told once.
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
  return [createMessage('failPolicyWithoutChecks', { object: source }, `no check is made for it: ${why}`)];
}

/** Outbound HTTP has a fixed number of fail policies. */
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
