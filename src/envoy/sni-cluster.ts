import type { Filter } from '../generated/envoy/config/listener/v3/Filter.js';
import type { MessageEncoder } from './message-encoder.js';

const SNI_CLUSTER = 'type.googleapis.com/envoy.extensions.filters.network.sni_cluster.v3.SniCluster';

/**
 * Makes the TCP proxy after it use the cluster with the name of the connection's server name (SNI). A client chooses its
 * server name: the filter chain must take no server name that is not the name of such a cluster.
 */
export function buildSniCluster(encoder: MessageEncoder): Filter {
  return { name: 'envoy.filters.network.sni_cluster', typedConfig: encoder.packAny(SNI_CLUSTER, {}) };
}
