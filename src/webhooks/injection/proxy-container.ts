/** The container that the proxy runs in, be it a container or a native sidecar. */
export const PROXY_CONTAINER = 'mesh-proxy';
/** What keeps others from starting before traffic is captured; before all others. */
export const VALIDATION_CONTAINER = 'mesh-validation';
/** The user that the proxy runs as, whose traffic is not captured, and the group that may use its sockets. */
export const PROXY_UID = 1337;

/** Variables of the proxy's container (BEHAVIOUR 3, "Injection"). */
export const CLUSTER_ID_VARIABLE = 'MESH_META_CLUSTER_ID';
export const NETWORK_VARIABLE = 'MESH_META_NETWORK';
/** JSON: the pod's own probes by the path that stands for them. */
export const PROBES_VARIABLE = 'MESH_KUBE_APP_PROBERS';
/** JSON: the pod's own scrape annotations. */
export const METRICS_VARIABLE = 'MESH_METRICS_ANNOTATIONS';
