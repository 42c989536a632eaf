import type { PushMetrics } from '../push/push-metrics.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Node metadata MESH_VERSION of a proxy that says none. */
const UNKNOWN_VERSION = 'unknown';

const REJECT_GAUGES = {
  cds: 'nav_xds_cds_reject',
  eds: 'nav_xds_eds_reject',
  lds: 'nav_xds_lds_reject',
  rds: 'nav_xds_rds_reject',
} as const;

/** Records what the push and xDS rooms report into the families of SPEC 4.7. */
export function recordPushMetrics(metrics: Metrics): PushMetrics {
  return {
    triggered: (type) => metrics.increment('nav_push_triggers', { type }),
    contextError: () => metrics.increment('nav_xds_push_context_errors'),
    queued: (seconds) => metrics.observe('nav_proxy_queue_time', seconds),
    converged: (seconds) => metrics.observe('nav_proxy_convergence_time', seconds),
    pushed: (type, seconds) => {
      metrics.increment('nav_xds_pushes', { type });
      metrics.observe('nav_xds_push_time', { type }, seconds);
    },
    sendFailed: (type) => metrics.increment('nav_xds_pushes', { type: `${type}_senderr` }),
    writeTimedOut: () => metrics.increment('nav_xds_write_timeout'),
    rejected: (type, node, err) => {
      metrics.increment('nav_total_xds_rejects');
      if (isRejectable(type)) metrics.add(REJECT_GAUGES[type], { node, err }, 1);
    },
    nonceExpired: (type) => metrics.increment('nav_xds_expired_nonce', { type }),
    connected: (version) => metrics.add('nav_xds', { version: version || UNKNOWN_VERSION }, 1),
    disconnected: (version) => metrics.add('nav_xds', { version: version || UNKNOWN_VERSION }, -1),
    internalError: () => metrics.increment('nav_total_xds_internal_errors'),
  };
}

function isRejectable(type: string): type is keyof typeof REJECT_GAUGES {
  return Object.hasOwn(REJECT_GAUGES, type);
}
