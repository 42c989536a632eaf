import type { ServiceConfig } from '../../config/policy/client-config.js';
import type { ServiceOwners } from './callers/service-owners.js';

/**
 * What the policy server knows of the mesh's services: taken from the snapshot in its own process, or over xDS from
 * another. A change makes a new one.
 */
export interface ServicePolicies {
  /** Which workloads answer for which service; left out where only the services' configurations say so. */
  readonly owners?: ServiceOwners;
  /** Undefined for a host that is no service. An unchanged service keeps its very object, compiled forms go by it. */
  find(hostname: string): ServiceConfig | undefined;
}
