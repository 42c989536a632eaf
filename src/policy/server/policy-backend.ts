import type { PolicyServerConfig } from '../../config/policy-server/policy-server-config.js';
import type { PolicyTransport } from '../client/policy-transport.js';

/** Who decides about quotas, and takes reports. */
export interface PolicyBackend {
  readonly transport: PolicyTransport;
  /**
   * Whether it counts in this process or asks a store of its own: nothing is cached then, so that limits are exact, and
   * it is sent no reports. Otherwise it is a remote `mesh.policy.v1` server.
   */
  readonly isLocal: boolean;
  /** Caches and batches that are not used for it, whatever proxies say. */
  readonly switches?: NonNullable<PolicyServerConfig['backend']>['transport'];
}
