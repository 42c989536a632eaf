import type { Endpoint } from '../endpoint.js';
import type { Finding } from '../finding.js';
import type { Service } from '../service.js';

/** What one object of one registry says about one host. Several contributions on a host are merged by the stores. */
export interface ServiceContribution {
  readonly service: Service;
  readonly cluster: string;
  /** Served endpoints, in the order of `compareEndpoints`. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Workloads of the service that are not ready: no client is sent to them, but their own proxies are
   * configured as if they were, so that readiness does not change what a proxy listens on.
   */
  readonly unready: readonly Endpoint[];
  readonly findings: readonly Finding[];
  /** Where the service is reached from outside of its cluster; absent for nowhere. */
  readonly externalAddresses?: readonly string[];
}
