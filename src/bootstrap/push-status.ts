import type { Finding, FindingMetric } from '../model/finding.js';
import type { Metrics } from '../telemetry/metrics.js';

const GAUGES: readonly FindingMetric[] = [
  'endpoint_no_pod',
  'nav_no_ip',
  'nav_endpoint_not_ready',
  'nav_conflict_outbound_listener_tcp_over_current_http',
  'nav_conflict_outbound_listener_tcp_over_current_tcp',
  'nav_conflict_outbound_listener_http_over_current_tcp',
  'nav_conflict_inbound_listener',
  'nav_duplicate_proxy_clusters',
  'nav_eds_no_instances',
  'nav_vservice_dup_domain',
  'nav_destrule_subsets',
];

/** Sets the push-status gauges: each is the number of distinct keys among the findings (BEHAVIOUR 1). */
export function recordPushStatus(metrics: Metrics, findings: readonly Finding[]): void {
  const keys = new Map<FindingMetric, Set<string>>(GAUGES.map((gauge) => [gauge, new Set()]));
  for (const finding of findings) keys.get(finding.metric)?.add(finding.key);
  for (const [gauge, distinct] of keys) metrics.set(gauge, distinct.size);
}
