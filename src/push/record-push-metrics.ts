import type { Metrics } from '../telemetry/metrics.js';
import type { PushMetrics } from './push-metrics.js';

/** Node metadata MESH_VERSION of a proxy that says none. */
const UNKNOWN_VERSION = 'unknown';
const MAX_VERSION_LENGTH = 64;
/** Series of versions, and of nodes that rejected something, that are kept when the last such proxy has gone. */
const MAX_IDLE_SERIES = 100;
/** Versions, and nodes that rejected something, with series of their own; peers can make up any number. */
const MAX_VERSIONS = 100;
const MAX_NODES = 1_000;
const MAX_NODE_LENGTH = 256;
/** Stands for those beyond. */
const OTHER = 'other';

const REJECT_GAUGES = {
  cds: 'nav_xds_cds_reject',
  eds: 'nav_xds_eds_reject',
  lds: 'nav_xds_lds_reject',
  rds: 'nav_xds_rds_reject',
} as const;

type RejectGauge = (typeof REJECT_GAUGES)[keyof typeof REJECT_GAUGES];

/** Records what the push and xDS rooms report into the families of docs/reference/metrics.md. */
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

/** Labels that come from peers: so many at a time have a series, and the others share one. */
interface BoundedLabels {
  /** One more peer has the label. @returns the label that it is counted under */
  begin(label: string): string;
  /** @returns the label that such a peer was counted under */
  end(label: string): string;
}

/**
 * @param most labels of their own
 * @param other stands for those beyond
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
      // Which of two equal peers leaves makes no difference to the sums.
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
 * Which series of a metric connected proxies stand behind. Labels that come from proxies make ever new series, so
 * those that nobody stands behind any more go, the longest idle first.
 */
interface SeriesUse {
  begin(label: string): void;
  /** @param hasSeries whether there is a series to keep for a while */
  end(label: string, hasSeries: boolean): void;
}

/**
 * @param maxIdle how many are kept that nobody stands behind
 * @param drop called with one that is too many
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
