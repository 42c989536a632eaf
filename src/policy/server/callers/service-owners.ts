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
