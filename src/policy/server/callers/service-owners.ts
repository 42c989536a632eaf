import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { Caller } from './caller.js';

export type WorkloadCaller = Extract<Caller, { readonly type: 'workload' }>;

/** The relation of a caller to a service. */
export type Ownership =
  /** The caller is a workload of the service. */
  | 'own'
  /** The caller is not a workload of the service. */
  | 'foreign'
  /**
   * The namespace of the caller has its own service of that host, and the known policies belong to another namespace.
   */
  | 'shadowed'
  /** No service has that host, so no policy charges it. */
  | 'unknown';

/** Links workloads to the services that they serve. */
export interface ServiceOwners {
  ownership(hostname: string, caller: WorkloadCaller): Ownership;
  /** Whether the service belongs to the namespace. */
  isOfNamespace(hostname: string, namespace: string): boolean;
  /** Whether the service is outside of the mesh, so that only its clients' proxies can check. */
  isExternal(hostname: string): boolean;
  /** Whether proxies check outbound requests to services of the mesh (mesh config, enableClientSidePolicyCheck). */
  readonly hasOutboundChecks: boolean;
}

const NAMESPACE = 'destination.service.namespace';

/**
 * The owners of services where only their configurations are known, as in a separate policy server: all workloads in
 * the namespace of the service.
 */
export function ownersOfConfigs(policies: {
  readonly find: (hostname: string) => ServiceConfig | undefined;
}): ServiceOwners {
  const isOfNamespace: ServiceOwners['isOfNamespace'] = (hostname, namespace) =>
    policies.find(hostname)?.mixerAttributes?.attributes?.[NAMESPACE]?.stringValue === namespace;
  return {
    ownership: (hostname, { identity }) => {
      if (policies.find(hostname) === undefined) return 'unknown';
      return isOfNamespace(hostname, identity.namespace) ? 'own' : 'foreign';
    },
    isOfNamespace,
    isExternal: () => false,
    hasOutboundChecks: false,
  };
}
