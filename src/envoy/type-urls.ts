/** xDS v3 resource types. The server serves no other version. */
export const TypeUrl = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  /** Virtual hosts of route tables, one by one. */
  virtualHost: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  /** Configurations of single filters, which a listener names. */
  extensionConfig: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  /** Certificates and roots, of each workload by itself. */
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  /** The names that the DNS proxy of a workload answers. Not a type of Envoy. */
  nameTable: 'type.googleapis.com/mesh.nds.v1.NameTable',
} as const;

/**
 * The order in which a push sends its types, so that resources arrive before those that refer to them
 * (docs/reference/xds.md#push-order). Filter configurations and routes come after the listener that names them, because
 * it waits for both. Virtual hosts come after the tables that they belong to.
 */
export const PUSH_ORDER: readonly string[] = [
  TypeUrl.cluster,
  TypeUrl.endpoint,
  TypeUrl.listener,
  TypeUrl.extensionConfig,
  TypeUrl.route,
  TypeUrl.virtualHost,
];

const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  [TypeUrl.cluster, 'cds'],
  [TypeUrl.endpoint, 'eds'],
  [TypeUrl.listener, 'lds'],
  [TypeUrl.route, 'rds'],
  [TypeUrl.virtualHost, 'vhds'],
  [TypeUrl.extensionConfig, 'ecds'],
  [TypeUrl.secret, 'sds'],
  [TypeUrl.nameTable, 'nds'],
]);

/**
 * The metric label of a type (docs/reference/metrics.md): cds, eds, lds, rds, vhds, ecds, sds and nds; `api` for anything
 * else.
 */
export function shortTypeName(typeUrl: string): string {
  return SHORT_NAMES.get(typeUrl) ?? 'api';
}
