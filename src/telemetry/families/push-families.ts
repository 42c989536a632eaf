import { CONVERGENCE_SECONDS, PUSH_SECONDS, QUEUE_SECONDS } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/** Families of pushing and of the xDS server (docs/reference/metrics.md). */
export const pushFamilies = {
  nav_conflict_inbound_listener: gauge('Conflicting inbound listeners.'),
  nav_conflict_outbound_listener_http_over_current_tcp: gauge(
    'Wildcard HTTP listeners conflicting with the current wildcard TCP listener.',
  ),
  nav_conflict_outbound_listener_tcp_over_current_http: gauge(
    'Wildcard TCP listeners conflicting with the current wildcard HTTP listener.',
  ),
  nav_conflict_outbound_listener_tcp_over_current_tcp: gauge(
    'TCP listeners conflicting with the current TCP listener.',
  ),
  nav_destrule_subsets: gauge('Duplicate subsets across destination rules for the same host.'),
  nav_gateway_credentials_refused: counter(
    'Credentials of Gateways and DestinationRules that routers asked for and did not get, because they are missing or malformed.',
  ),
  nav_gateway_servers_rejected: gauge('Servers of Gateways that routers cannot serve.'),
  nav_envoy_filter_patches_skipped: gauge('Patches of EnvoyFilters that cannot be applied to a resource.'),
  nav_envoy_filter_patches_withheld: counter(
    'Times a patch of an EnvoyFilter was withheld from a proxy that rejected it.',
    'type',
  ),
  nav_grpc_unsupported: gauge(
    'Targets, clusters and servers of gRPC clients without proxies that lose a feature of their configuration.',
  ),
  nav_duplicate_proxy_clusters: gauge('Duplicate proxy clusters caused by service entries with the same hostname.'),
  nav_eds_no_instances: gauge('Clusters without instances.'),
  nav_invalid_out_listeners: gauge('Invalid outbound listeners.'),
  nav_load_requests_dropped: counter('Requests that proxies dropped, by load report.', 'cluster', 'category'),
  nav_load_requests_failed: counter('Requests that failed, by load report.', 'cluster', 'locality'),
  nav_load_requests_in_progress: gauge(
    'Requests in progress at the last load reports of all proxies.',
    'cluster',
    'locality',
  ),
  nav_load_requests_issued: counter('Requests that proxies sent, by load report.', 'cluster', 'locality'),
  nav_load_requests_succeeded: counter('Requests that succeeded, by load report.', 'cluster', 'locality'),
  nav_proxy_convergence_time: histogram(
    'Delay in seconds between a config change and a proxy receiving all required configuration.',
    CONVERGENCE_SECONDS,
  ),
  nav_proxy_queue_time: histogram('Seconds a proxy waits in the push queue before dequeue.', QUEUE_SECONDS),
  nav_push_triggers: counter('Times a push was triggered, labeled by reason.', 'type'),
  nav_total_rejected_configs: counter('Configs rejected or ignored.', 'type', 'name'),
  nav_total_xds_internal_errors: counter('Internal XDS errors.'),
  nav_total_xds_rejects: counter('XDS responses rejected by a proxy.'),
  nav_trace_exports: counter('Traces of changes, by result: sent, failed, dropped.', 'result'),
  nav_vservice_dup_domain: gauge('Virtual services with duplicate domains.'),
  nav_xds: gauge('Endpoints connected to this server using XDS.', 'version'),
  nav_xds_cds_reject: gauge('CDS configs rejected.', 'node', 'err'),
  nav_xds_eds_reject: gauge('EDS rejected.', 'node', 'err'),
  nav_xds_expired_nonce: counter('XDS requests with an expired nonce.', 'type'),
  nav_xds_lds_reject: gauge('LDS rejected.', 'node', 'err'),
  nav_xds_limits_met: counter('Times a peer met a limit of the XDS server, by limit.', 'limit'),
  nav_xds_push_context_errors: counter('Errors (timeouts) initiating push context.'),
  nav_xds_push_time: histogram('Total seconds taken to push LDS, RDS, CDS and EDS.', PUSH_SECONDS, 'type'),
  nav_xds_pushes: counter('Build and send errors for LDS, RDS, CDS and EDS.', 'type'),
  nav_xds_rds_reject: gauge('RDS rejected.', 'node', 'err'),
  nav_xds_unacknowledged_responses: counter(
    'Responses sent without the answer of the proxy to the one before, after NAV_XDS_ACK_TIMEOUT.',
    'type',
  ),
  nav_xds_write_timeout: counter('XDS response write timeouts.'),
  nav_dns_cluster_without_endpoints: gauge('DNS clusters without endpoints.'),
} as const;
