import { type OutboundClusterName, parseOutboundClusterName } from '../../envoy/names.js';
import { WHOLE_SERVICE } from '../../model/traffic/destination.js';

/**
 * Filters that a proxy requests by name. A sniffed port has a chain for HTTP and a chain for bytes with the same cluster.
 * Their checks are different filters.
 */
export type PolicyFilterName =
  /** Check of all outbound HTTP: `policy|outbound`. */
  | { readonly type: 'outboundHttpCheck' }
  /** Check of outbound HTTP with the fail policy of the proxy or of services: `policy|outbound|<slot>`. */
  | { readonly type: 'outboundHttpCheckInSlot'; readonly slot: number }
  /** Sends the attributes of this proxy to the next one: `policy|forward`. */
  | { readonly type: 'forward' }
  /** Check of HTTP for a service of the workload: `policy|<inbound cluster>`. */
  | { readonly type: 'inboundHttpCheck'; readonly cluster: string }
  /** Fast quotas of HTTP for a service of the workload: `policy|fast|<inbound cluster>`. */
  | { readonly type: 'fastQuotas'; readonly cluster: string }
  /** Applies the fail policy of fast quotas: `policy|guard|<inbound cluster>`. */
  | { readonly type: 'fastGuard'; readonly cluster: string }
  /** Check of connections for a service of the workload: `policy|tcp|<inbound cluster>`. */
  | { readonly type: 'inboundTcpCheck'; readonly cluster: string }
  /** Check of connections to a service: `policy|tcp|<outbound cluster>`. */
  | { readonly type: 'outboundTcpCheck'; readonly cluster: OutboundClusterName };

const PREFIX = 'policy|';
const TCP_PREFIX = `${PREFIX}tcp|`;
const FAST_PREFIX = `${PREFIX}fast|`;
const GUARD_PREFIX = `${PREFIX}guard|`;
const INBOUND_CLUSTER = 'inbound|';

export const OUTBOUND_HTTP_CHECK = `${PREFIX}outbound`;
const OUTBOUND_PREFIX = `${OUTBOUND_HTTP_CHECK}|`;
export const FORWARD = `${PREFIX}forward`;

export function inboundHttpCheckName(cluster: string): string {
  return `${PREFIX}${cluster}`;
}

/** @param slot 0 for the fail policy of the proxy */
export function outboundHttpCheckName(slot: number): string {
  return `${OUTBOUND_HTTP_CHECK}|${slot}`;
}

export function fastQuotasName(cluster: string): string {
  return `${FAST_PREFIX}${cluster}`;
}

export function fastGuardName(cluster: string): string {
  return `${GUARD_PREFIX}${cluster}`;
}

/** @param cluster inbound or outbound */
export function tcpCheckName(cluster: string): string {
  return `${TCP_PREFIX}${cluster}`;
}

/** Undefined for a name of another form. The name comes from a proxy, and its cluster need not exist. */
export function parsePolicyFilterName(name: string): PolicyFilterName | undefined {
  if (name === OUTBOUND_HTTP_CHECK) return { type: 'outboundHttpCheck' };
  if (name === FORWARD) return { type: 'forward' };
  if (name.startsWith(OUTBOUND_PREFIX)) {
    const slot = name.slice(OUTBOUND_PREFIX.length);
    return /^\d$/.test(slot) ? { type: 'outboundHttpCheckInSlot', slot: Number(slot) } : undefined;
  }
  if (name.startsWith(TCP_PREFIX)) {
    const cluster = name.slice(TCP_PREFIX.length);
    if (cluster.startsWith(INBOUND_CLUSTER)) return { type: 'inboundTcpCheck', cluster };
    const outbound = parseOutboundClusterName(cluster);
    return outbound?.subset === WHOLE_SERVICE.name ? { type: 'outboundTcpCheck', cluster: outbound } : undefined;
  }
  const fast = inboundAfter(FAST_PREFIX, name);
  if (fast !== undefined) return { type: 'fastQuotas', cluster: fast };
  const guard = inboundAfter(GUARD_PREFIX, name);
  if (guard !== undefined) return { type: 'fastGuard', cluster: guard };
  const cluster = inboundAfter(PREFIX, name);
  return cluster === undefined ? undefined : { type: 'inboundHttpCheck', cluster };
}

/** The inbound cluster behind a prefix. */
function inboundAfter(prefix: string, name: string): string | undefined {
  const cluster = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return cluster.startsWith(INBOUND_CLUSTER) ? cluster : undefined;
}
