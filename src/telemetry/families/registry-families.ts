import { counter, gauge } from './family.js';

/** Families of registries and configuration sources (docs/reference/metrics.md). */
export const registryFamilies = {
  endpoint_no_pod: gauge('Endpoints without an associated pod.'),
  nav_endpoint_not_ready: gauge('Endpoints found in unready state.'),
  nav_inbound_updates: counter('Updates received.', 'type'),
  nav_jwks_resolver_network_fetch_fail_total: counter('Failed network fetches by the JWKS resolver.'),
  nav_jwks_resolver_network_fetch_success_total: counter('Successful network fetches by the JWKS resolver.'),
  nav_jwks_sources: gauge(
    'Sources of keys of JWT issuers, by state (fresh, stale, failed, pending, refused).',
    'state',
  ),
  nav_k8s_cfg_events: counter('Events from orchestrator config.', 'type', 'event'),
  nav_k8s_endpoints_pending_pod: gauge('Endpoints with no corresponding pod at present.'),
  nav_k8s_endpoints_with_no_pods: counter('Endpoints without any corresponding pods.'),
  nav_k8s_object_errors: gauge('Errors converting custom resources.', 'name'),
  nav_k8s_reg_events: counter('Events from the orchestrator registry.', 'type', 'event'),
  nav_no_ip: gauge('Pods not found in the endpoint table, possibly invalid.'),
  nav_refused_settings_total: counter('Contents of settings that could not be used.', 'setting'),
  nav_services: gauge('Total services known.'),
  nav_total_k8s_object_errors: counter('Total errors converting custom resources.'),
  nav_virt_services: gauge('Total virtual services known.'),
} as const;
