import type { Proxy } from '../../../model/proxy.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { parseSpiffeId } from '../../../model/spiffe-id.js';
import type { ServiceOwners, WorkloadCaller } from './service-owners.js';

/** The parts of a snapshot that link workloads to services. */
export type OwnersContext = Pick<PushContext, 'mesh' | 'servicesByHost' | 'shadowedByHost' | 'endpoints' | 'targetsOf'>;

/**
 * The owners of services in each snapshot. A workload owns a service of its namespace in one of these cases:
 *
 * - The endpoints of the service have the service account of the workload, or no endpoint has a known account.
 * - The address of the workload is listed for the service, ready or not. This covers a new account before its first
 *   request.
 * - The same connection was accepted before: a stopping workload finishes its requests after its endpoint is removed.
 */
export function createMeshOwners(): (context: OwnersContext) => ServiceOwners {
  const accepted = new WeakMap<WorkloadCaller, Set<string>>();
  const wasAccepted = (caller: WorkloadCaller, hostname: string): boolean =>
    accepted.get(caller)?.has(hostname) === true;
  const accept = (caller: WorkloadCaller, hostname: string): void => {
    const hosts = accepted.get(caller) ?? new Set();
    accepted.set(caller, hosts.add(hostname));
  };

  return (context) => ({
    ownership: (hostname, caller) => {
      const service = context.servicesByHost.get(hostname);
      if (service === undefined) return 'unknown';
      if (service.namespace !== caller.identity.namespace) {
        const shadowed = context.shadowedByHost.get(hostname) ?? [];
        return shadowed.some(({ namespace }) => namespace === caller.identity.namespace) ? 'shadowed' : 'foreign';
      }
      if (wasAccepted(caller, hostname)) return 'own';
      if (!hasAccount(context, service, caller) && !isListed(context, service, caller)) return 'foreign';
      accept(caller, hostname);
      return 'own';
    },
    isOfNamespace: (hostname, namespace) => context.servicesByHost.get(hostname)?.namespace === namespace,
    isExternal: (hostname) => context.servicesByHost.get(hostname)?.meshExternal === true,
    hasOutboundChecks: context.mesh.policy.enableClientSidePolicyCheck,
  });
}

function hasAccount({ endpoints }: OwnersContext, { hostname }: Service, { identity }: WorkloadCaller): boolean {
  const accounts = endpoints.get(hostname)?.serviceAccounts ?? [];
  if (accounts.length === 0) return true;
  return accounts.some((account) => {
    const known = parseSpiffeId(account);
    return known?.namespace === identity.namespace && known.serviceAccount === identity.serviceAccount;
  });
}

function isListed({ targetsOf }: OwnersContext, { hostname }: Service, { identity, address }: WorkloadCaller): boolean {
  return targetsOf(proxyAt(identity.namespace, address)).some(({ service }) => service.hostname === hostname);
}

/** The members of a proxy that select its services: namespace and address, in the cluster of the control plane. */
function proxyAt(namespace: string, address: string): Proxy {
  const ip = address.replace(/^::ffff:/, '');
  return {
    id: '',
    type: 'sidecar',
    ipAddresses: [ip],
    name: '',
    configNamespace: namespace,
    dnsDomain: '',
    locality: '',
    version: '',
    metadata: { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] },
    hasSecrets: true,
  };
}
