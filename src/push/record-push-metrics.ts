import type { Metrics } from '../telemetry/metrics.js';
import type { PushMetrics } from './push-metrics.js';

/** Label of proxies whose node metadata has no MESH_VERSION. */
const UNKNOWN_VERSION = 'unknown';
const MAX_VERSION_LENGTH = 64;
/**
 * Number of series of versions, and of nodes with rejections, that are kept after their last proxy has disconnected.
 */
const MAX_IDLE_SERIES = 100;
/** Number of versions, and of nodes with rejections, that have series of their own. Peers can invent any number. */
const MAX_VERSIONS = 100;
const MAX_NODES = 1_000;
const MAX_NODE_LENGTH = 256;
/** Label of all others. */
const OTHER = 'other';

const REJECT_GAUGES = {
  cds: 'nav_xds_cds_reject',
  eds: 'nav_xds_eds_reject',
  lds: 'nav_xds_lds_reject',
  rds: 'nav_xds_rds_reject',
} as const;

type RejectGauge = (typeof REJECT_GAUGES)[keyof typeof REJECT_GAUGES];

/** Records the events of the push and xds rooms in the families of docs/reference/metrics.md. */
export function recordPushMetrics(metrics: Metrics): PushMetrics {
  const rejections = new Map<string, Map<string, { gauge: RejectGauge; err: string }>>();
  const versions = createSeriesUse(MAX_IDLE_SERIES, (version) => metrics.remove('nav_xds', { version }));
  const connectedVersions = createBoundedLabels(MAX_VERSIONS, OTHER);
  const nodes = createSeriesUse(MAX_IDLE_SERIES, (node) => {
    for (const { gauge, err } of rejections.get(node)?.values() ?? []) metrics.remove(gauge, { node, err });
    rejections.delete(node);
  });

  const nodeLabel = (id: string): string => {
    const node = shortNode(id);
    return rejections.has(node) || rejections.size < MAX_NODES ? node : OTHER;
  };

  const recordRejection = (gauge: RejectGauge, id: string, err: string): void => {
    const node = nodeLabel(id);
    metrics.add(gauge, { node, err }, 1);
    let ofNode = rejections.get(node);
    if (ofNode === undefined) {
      ofNode = new Map();
      rejections.set(node, ofNode);
    }
    ofNode.set(`${gauge} ${err}`, { gauge, err });
  };

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
      if (isRejectable(type)) recordRejection(REJECT_GAUGES[type], node, err);
    },
    nonceExpired: (type) => metrics.increment('nav_xds_expired_nonce', { type }),
    unacknowledged: (type) => metrics.increment('nav_xds_unacknowledged_responses', { type }),
    patchesWithheld: (type, count) => metrics.increment('nav_envoy_filter_patches_withheld', { type }, count),
    connected: (node, meshVersion) => {
      const version = connectedVersions.begin(versionLabel(meshVersion));
      metrics.add('nav_xds', { version }, 1);
      versions.begin(version);
      nodes.begin(shortNode(node));
    },
    disconnected: (node, meshVersion) => {
      const version = connectedVersions.end(versionLabel(meshVersion));
      metrics.add('nav_xds', { version }, -1);
      versions.end(version, true);
      nodes.end(shortNode(node), rejections.has(shortNode(node)));
    },
    limitMet: (limit) => metrics.increment('nav_xds_limits_met', { limit }),
    internalError: () => metrics.increment('nav_total_xds_internal_errors'),
  };
}

function shortNode(id: string): string {
  return id.slice(0, MAX_NODE_LENGTH);
}

function versionLabel(meshVersion: string): string {
  return meshVersion.slice(0, MAX_VERSION_LENGTH) || UNKNOWN_VERSION;
}

function isRejectable(type: string): type is keyof typeof REJECT_GAUGES {
  return Object.hasOwn(REJECT_GAUGES, type);
}

/** Labels that come from peers. A limited number has series of their own; the others share one. */
interface BoundedLabels {
  /** Counts one more peer with the label. @returns the label of its series */
  begin(label: string): string;
  /** @returns the label of the series that counted the peer */
  end(label: string): string;
}

/**
 * @param most number of labels with series of their own
 * @param other label of all others
 */
function createBoundedLabels(most: number, other: string): BoundedLabels {
  const own = new Map<string, number>();
  const beyond = new Map<string, number>();
  return {
    begin: (label) => {
      const hasOwn = own.has(label) || own.size < most;
      change(hasOwn ? own : beyond, label, 1);
      return hasOwn ? label : other;
    },
    end: (label) => {
      // It does not matter for the sums which of two peers with the same label disconnects.
      const isBeyond = beyond.has(label);
      change(isBeyond ? beyond : own, label, -1);
      return isBeyond ? other : label;
    },
  };
}

function change(counts: Map<string, number>, label: string, by: number): void {
  const count = (counts.get(label) ?? 0) + by;
  if (count <= 0) counts.delete(label);
  else counts.set(label, count);
}

/**
 * Counts the connected proxies of each series. Labels that come from proxies make more and more series, so series
 * without a proxy are removed, those that have been idle longest first.
 */
interface SeriesUse {
  begin(label: string): void;
  /** @param hasSeries whether the label has a series, which is kept for some time */
  end(label: string, hasSeries: boolean): void;
}

/**
 * @param maxIdle number of series without a proxy that are kept
 * @param drop removes the series of a label
 */
function createSeriesUse(maxIdle: number, drop: (label: string) => void): SeriesUse {
  const users = new Map<string, number>();
  const idle = new Set<string>();
  return {
    begin: (label) => {
      users.set(label, (users.get(label) ?? 0) + 1);
      idle.delete(label);
    },
    end: (label, hasSeries) => {
      const left = (users.get(label) ?? 0) - 1;
      if (left > 0) {
        users.set(label, left);
        return;
      }
      users.delete(label);
      if (hasSeries) idle.add(label);
      const [oldest] = idle;
      if (oldest === undefined || idle.size <= maxIdle) return;
      idle.delete(oldest);
      drop(oldest);
    },
  };
}
