import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { Caller } from './caller.js';

export type WorkloadCaller = Extract<Caller, { readonly type: 'workload' }>;

/** How a caller stands to a service. */
export type Ownership =
  /** It is a workload of the service. */
  | 'own'
  /** It is not. */
  | 'foreign'
  /** Its namespace has a service of that host by itself, and the policies here are those of another namespace's. */
  | 'shadowed'
  /** No service has that host: there are no policies to charge by. */
  | 'unknown';

/** Which workloads answer for which service. */
export interface ServiceOwners {
  ownership(hostname: string, caller: WorkloadCaller): Ownership;
  /** Whether the service is outside of the mesh, so that only its clients' proxies can check. */
  isExternal(hostname: string): boolean;
  /** Whether proxies check what their workloads send to services of the mesh (mesh config, enableClientSidePolicyCheck). */
  readonly hasOutboundChecks: boolean;
}

const NAMESPACE = 'destination.service.namespace';

/**
 * The owners of services where only their configurations are known, as in a policy server of its own process: the
 * workloads of the service's namespace.
 */
export function ownersOfConfigs(policies: {
  readonly find: (hostname: string) => ServiceConfig | undefined;
}): ServiceOwners {
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
