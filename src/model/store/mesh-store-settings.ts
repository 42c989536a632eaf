import type { GatewayApiSettings } from '../gateway-api/gateway-api-settings.js';

/** Settings of the stores, fixed for the life of the process. */
export interface MeshStoreSettings {
  /** DNS suffix of the cluster, `--domain`. */
  readonly domain: string;
  /** `--clusterID`: objects of this cluster win over objects of the same key in other clusters. */
  readonly clusterId: string;
  /** The mesh domain `D` of labels and annotations. */
  readonly meshDomain: string;
  /**
   * REVISION (docs/reference/sources.md#revision): custom objects with another revision label are ignored. Empty: none
   * is ignored.
   */
  readonly revision: string;
  /** `--trust-domain`; empty: of the mesh config. */
  readonly trustDomain: string;
  /** NAV_USE_ENDPOINT_SLICE: EndpointSlices come before Endpoints where a service has both. */
  readonly useEndpointSlice: boolean;
  /** NAV_ENABLE_ORCH_SELECT_WORKLOAD_ENTRIES: Services select WorkloadEntries too. */
  readonly servicesSelectWorkloadEntries: boolean;
  /** NAV_ENABLE_SERVICEENTRY_SELECT_PODS: ServiceEntries select Pods too. */
  readonly serviceEntriesSelectPods: boolean;
  /** NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES: headless services resolve by `endpoints`, not `passthrough`. */
  readonly edsForHeadlessServices: boolean;
  /** NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE. Default false. */
  readonly virtualServiceDelegates?: boolean;
  /**
   * Whether `--plugins` leaves out `authn`, so that PeerAuthentications and RequestAuthentications have no effect.
   * Default false.
   */
  readonly ignoresAuthentications?: boolean;
  /** ORCH_INGRESS_NS: namespace of the Gateways that Ingresses give. Default: the root namespace. */
  readonly ingressNamespace?: string | undefined;
  /** NAV_ENABLED_SERVICE_APIS: objects of the Gateway API configure routers. Default: they do not. */
  readonly gatewayApi?: GatewayApiSettings;
}
