import type { MeshConfig, PolicyMeshConfig } from '../../config/mesh/mesh-config.js';

/** The place of a policy server: the discovery process, or an address (docs/policies.md). */
export type PolicyServerTarget =
  | { readonly type: 'embedded' }
  /** `host` is a DNS name or an IP address, an IPv6 address without brackets. */
  | { readonly type: 'address'; readonly host: string; readonly port: number };

/**
 * Cluster of the policy server in the discovery process; the default of
 * docs/reference/policy-client.md#transportconfig.
 */
const POLICY_SERVER_CLUSTER = 'policy_server';

/**
 * Cluster of the policy server for checks over HTTP/1.1. The other clusters of policy servers have HTTP/2, as gRPC needs it.
 */
export const HTTP_CHECK_CLUSTER = 'policy_check_server';

/**
 * Cluster for reports with sidecarToTelemetrySessionAffinity: it keeps to one server, while checks must be balanced.
 */
export const AFFINE_REPORT_CLUSTER = 'policy_report_server';

type Policy = Pick<PolicyMeshConfig, 'mixerCheckServer' | 'mixerReportServer' | 'sidecarToTelemetrySessionAffinity'>;

/** The server for checks; undefined without one. */
export function checkServerOf({ policy }: Pick<MeshConfig, 'policy'>): PolicyServerTarget | undefined {
  return policyServerOf(policy.mixerCheckServer);
}

/** The server for reports; undefined without one. */
export function reportServerOf({ policy }: Pick<MeshConfig, 'policy'>): PolicyServerTarget | undefined {
  return policyServerOf(policy.mixerReportServer);
}

/** The cluster for checks; the default without a server. */
export function checkClusterOf(policy: Policy): string {
  return clusterOf(policyServerOf(policy.mixerCheckServer));
}

/** The cluster for reports; the default without a server. */
export function reportClusterOf(policy: Policy): string {
  const server = policyServerOf(policy.mixerReportServer);
  return server !== undefined && policy.sidecarToTelemetrySessionAffinity ? AFFINE_REPORT_CLUSTER : clusterOf(server);
}

/** @param text validated: empty, `embedded` or `host:port` */
function policyServerOf(text: string): PolicyServerTarget | undefined {
  if (text === '') return undefined;
  if (text === 'embedded') return { type: 'embedded' };
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { type: 'address', host, port: Number(text.slice(colon + 1)) };
}

/** `outbound|<port>||<host>` (docs/reference/policy-client.md#transport-settings). */
function clusterOf(server: PolicyServerTarget | undefined): string {
  return server?.type === 'address' ? `outbound|${server.port}||${server.host}` : POLICY_SERVER_CLUSTER;
}
