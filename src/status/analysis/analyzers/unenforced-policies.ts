import { POLICY_KINDS } from '../../../config/kind-traits.js';
import type { PolicyMeshConfig } from '../../../config/mesh/mesh-config.js';
import type { Analyzer, Enforcement } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/**
 * Policies that the settings of the mesh turn off; each object gets one message. Quotas need checks; API attributes
 * also serve reports.
 */
export const findUnenforcedPolicies: Analyzer = ({ objects, mesh, enforcement }) => {
  const why = whyNoChecks(mesh.policy, enforcement);
  if (why === undefined) return [];
  return POLICY_KINDS.filter(
    (kind) => !kind.startsWith('HTTPAPI') || whyNoReports(mesh.policy, enforcement) !== undefined,
  ).flatMap((kind) =>
    [...(objects.get(kind)?.keys() ?? [])].map((object) =>
      createMessage('policyNotEnforced', { object }, `this ${kind} is not enforced: ${why}`),
    ),
  );
};

/**
 * The reason why no proxy checks requests, unless an annotation of its pod turns checks on; undefined if proxies check.
 */
export function whyNoChecks(policy: PolicyMeshConfig, { isPluginOn }: Enforcement): string | undefined {
  if (!isPluginOn) return '--plugins does not name policy';
  if (policy.mixerCheckServer === '') return 'mixerCheckServer of the mesh config names no server to ask';
  if (policy.disablePolicyChecks && !policy.enableClientSidePolicyCheck) {
    return 'disablePolicyChecks of the mesh config is true';
  }
  return undefined;
}

/** The reason why no proxy reports HTTP requests; undefined if proxies report. */
export function whyNoReports(policy: PolicyMeshConfig, { isPluginOn }: Enforcement): string | undefined {
  if (!isPluginOn) return '--plugins does not name policy';
  if (policy.mixerReportServer === '') return 'mixerReportServer of the mesh config names no server to report to';
  return policy.disableMixerHttpReports ? 'disableMixerHttpReports of the mesh config is true' : undefined;
}
