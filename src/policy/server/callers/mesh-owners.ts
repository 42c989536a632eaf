import type { Proxy } from '../../../model/proxy.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { parseSpiffeId } from '../../../model/spiffe-id.js';
import type { ServiceOwners, WorkloadCaller } from './service-owners.js';

/** What of a snapshot tells which workloads answer for which service. */
export type OwnersContext = Pick<PushContext, 'mesh' | 'servicesByHost' | 'shadowedByHost' | 'endpoints' | 'targetsOf'>;

/**
 * Gives each snapshot's owners of services. A workload owns a service of its namespace when one of these says so:
 *
 * - the service's endpoints have the workload's service account, or no endpoint has a known one;
 * - the workload's address is listed for the service, ready or not: this knows a new account before its first request;
 * - the same connection was accepted before: a workload that ends finishes its requests after its endpoint has gone.
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

/** A proxy as far as its services depend on it: its namespace and address, in the control plane's own cluster. */
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
