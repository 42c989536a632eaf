/** What the stores are told at start; it does not change while the process lives. */
export interface MeshStoreSettings {
  /** DNS suffix of the cluster, `--domain`. */
  readonly domain: string;
  /** `--clusterID`: objects of this cluster win where two clusters know the same name. */
  readonly clusterId: string;
  /** The mesh domain `D` of labels and annotations. */
  readonly meshDomain: string;
  /** REVISION (BEHAVIOUR 8): custom objects with another revision label are ignored. Empty: none is. */
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
  /** Whether `--plugins` leaves out `authn`: workloads are as without any PeerAuthentication. Default false. */
  readonly ignoresPeerAuthentications?: boolean;
}
