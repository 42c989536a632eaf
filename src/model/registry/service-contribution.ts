import type { Endpoint } from '../endpoint.js';
import type { Finding } from '../finding.js';
import type { Service } from '../service.js';

/** The contribution of one object of one registry to one host. The stores merge the contributions to a host. */
export interface ServiceContribution {
  readonly service: Service;
  readonly cluster: string;
  /** Served endpoints, in the order of `compareEndpoints`. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Workloads of the service that are not ready: clients do not get them, but their own proxies are configured as if
   * they were ready, so that readiness does not change the listeners of a proxy.
   */
  readonly unready: readonly Endpoint[];
  readonly findings: readonly Finding[];
  /** Addresses for clients outside of the cluster; absent without any. */
  readonly externalAddresses?: readonly string[];
}
