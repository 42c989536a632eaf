import type { Finding, FindingMetric } from '../model/finding.js';
import type { ProxyConnection } from '../model/proxy-connection.js';
import type { PushContext } from '../model/push-context.js';
import type { Metrics } from '../telemetry/metrics.js';

/** The sources of findings: the translation of the snapshot, the generators, and the connected proxies. */
export interface PushStatusSources {
  /** Undefined before the first snapshot. */
  context(): PushContext | undefined;
  connections(): readonly ProxyConnection[];
  generated(): readonly Finding[];
}

const GAUGES: readonly FindingMetric[] = [
  'endpoint_no_pod',
  'nav_no_ip',
  'nav_endpoint_not_ready',
  'nav_conflict_outbound_listener_tcp_over_current_http',
  'nav_conflict_outbound_listener_tcp_over_current_tcp',
  'nav_conflict_outbound_listener_http_over_current_tcp',
  'nav_conflict_inbound_listener',
  'nav_invalid_out_listeners',
  'nav_duplicate_proxy_clusters',
  'nav_eds_no_instances',
  'nav_vservice_dup_domain',
  'nav_destrule_subsets',
  'nav_gateway_servers_rejected',
  'nav_envoy_filter_patches_skipped',
  'nav_grpc_unsupported',
];

/** All findings about the newest snapshot (docs/reference/metrics.md#push-status). */
export function pushStatus(sources: PushStatusSources): readonly Finding[] {
  const context = sources.context();
  if (context === undefined) return [];
  return [...context.findings, ...sources.generated(), ...proxiesWithoutService(context, sources.connections())];
}

/** Sets each push-status gauge to its number of distinct keys, and the numbers of services and VirtualServices. */
export function recordPushStatus(metrics: Metrics, sources: PushStatusSources): void {
  const context = sources.context();
  if (context === undefined) return;
  metrics.set('nav_services', context.services.length);
  metrics.set('nav_virt_services', context.objects.get('VirtualService')?.size ?? 0);
  const keys = new Map<FindingMetric, Set<string>>(GAUGES.map((gauge) => [gauge, new Set()]));
  for (const finding of pushStatus(sources)) keys.get(finding.metric)?.add(finding.key);
  for (const [gauge, distinct] of keys) metrics.set(gauge, distinct.size);
}

function proxiesWithoutService(context: PushContext, connections: readonly ProxyConnection[]): Finding[] {
  return connections
    .filter(({ proxy }) => proxy.type === 'sidecar' && context.targetsOf(proxy).length === 0)
    .map(({ proxy }) => ({
      metric: 'nav_no_ip',
      key: proxy.id,
      message: `No service selects the workload at ${proxy.ipAddresses.join(', ')}`,
      proxy: proxy.id,
    }));
}
