import type { ServiceConfig } from '../../config/policy/client-config.js';

/**
 * What the policy server knows of the mesh's services: taken from the snapshot in its own process, or over xDS from
 * another. A change makes a new one.
 */
export interface ServicePolicies {
  /** Undefined for a host that is no service. An unchanged service keeps its very object, compiled forms go by it. */
  find(hostname: string): ServiceConfig | undefined;
}
