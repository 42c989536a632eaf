import type { ServicePolicies } from '../service-policies.js';
import type { ServiceOwners } from './service-owners.js';

const NAMESPACE = 'destination.service.namespace';

/**
 * The owners of services where only their configurations are known, as in a policy server of its own process: the
 * workloads of the service's namespace.
 */
export function ownersOfConfigs(policies: Pick<ServicePolicies, 'find'>): ServiceOwners {
  return {
    ownership: (hostname, { identity }) => {
      const config = policies.find(hostname);
      if (config === undefined) return 'unknown';
      return config.mixerAttributes?.attributes?.[NAMESPACE]?.stringValue === identity.namespace ? 'own' : 'foreign';
    },
    isExternal: () => false,
    hasOutboundChecks: false,
  };
}
