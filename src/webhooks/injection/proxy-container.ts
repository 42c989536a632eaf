/** The proxy's container, which may be a native sidecar. */
export const PROXY_CONTAINER = 'mesh-proxy';
/** The container that delays all others until traffic is captured. It is the first one. */
export const VALIDATION_CONTAINER = 'mesh-validation';
/** User of the proxy, whose traffic is not captured, and group with access to its sockets. */
export const PROXY_UID = 1337;

/** Variables of the proxy's container. */
export const CLUSTER_ID_VARIABLE = 'MESH_META_CLUSTER_ID';
export const NETWORK_VARIABLE = 'MESH_META_NETWORK';
/** JSON: the pod's own probes by the path that replaces them. */
export const PROBES_VARIABLE = 'MESH_KUBE_APP_PROBERS';
/** JSON: the pod's own scrape annotations. */
export const METRICS_VARIABLE = 'MESH_METRICS_ANNOTATIONS';
