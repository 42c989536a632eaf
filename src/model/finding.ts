import type { ObjectKey } from '../config/object.js';

/**
 * Something odd that generation met and worked around: a listener conflict, a cluster without endpoints. Findings feed
 * the push-status gauges (docs/reference/xds.md#listener-conflicts) and /debug/push_status.
 */
export interface Finding {
  readonly metric: FindingMetric;
  /** What it is about, for example a listener or cluster name; distinct keys are what the gauge counts. */
  readonly key: string;
  readonly message: string;
  /** Node id, when it concerns one proxy only. */
  readonly proxy?: string;
  /** The object whose author can mend it, where that is one object. */
  readonly object?: ObjectKey;
}

export type FindingMetric =
  | 'endpoint_no_pod'
  | 'nav_no_ip'
  | 'nav_endpoint_not_ready'
  | 'nav_conflict_outbound_listener_tcp_over_current_http'
  | 'nav_conflict_outbound_listener_tcp_over_current_tcp'
  | 'nav_conflict_outbound_listener_http_over_current_tcp'
  | 'nav_conflict_inbound_listener'
  | 'nav_duplicate_proxy_clusters'
  | 'nav_eds_no_instances'
  | 'nav_vservice_dup_domain'
  | 'nav_destrule_subsets';
