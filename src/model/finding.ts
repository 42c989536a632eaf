import type { ObjectKey } from '../config/object.js';

/**
 * A problem that generation worked around: a listener conflict, a cluster without endpoints. Findings feed the
 * push-status gauges (docs/reference/xds.md#listener-conflicts) and /debug/push_status.
 */
export interface Finding {
  readonly metric: FindingMetric;
  /** The subject, for example the name of a listener or cluster. The gauge counts distinct keys. */
  readonly key: string;
  readonly message: string;
  /** Node id, if the finding concerns one proxy only. */
  readonly proxy?: string;
  /** The object to correct, if it is a single one. */
  readonly object?: ObjectKey;
  /** Whether another object has what this one asks for (nav_total_rejected_configs). Default false. */
  readonly isConflict?: boolean;
}

export type FindingMetric =
  | 'endpoint_no_pod'
  | 'nav_no_ip'
  | 'nav_endpoint_not_ready'
  | 'nav_conflict_outbound_listener_tcp_over_current_http'
  | 'nav_conflict_outbound_listener_tcp_over_current_tcp'
  | 'nav_conflict_outbound_listener_http_over_current_tcp'
  | 'nav_invalid_out_listeners'
  | 'nav_conflict_inbound_listener'
  | 'nav_duplicate_proxy_clusters'
  | 'nav_eds_no_instances'
  | 'nav_vservice_dup_domain'
  | 'nav_destrule_subsets'
  | 'nav_gateway_servers_rejected'
  | 'nav_envoy_filter_patches_skipped'
  | 'nav_grpc_unsupported';
