import { outboundClusterName, outboundServerName, PASSTHROUGH_CLUSTER } from '../envoy/names.js';
import type { Destination } from '../model/traffic/destination.js';

/** The name of the outbound cluster that leads to a destination. */
export function clusterOf({ hostname, port, subset }: Destination): string {
  return outboundClusterName(port, subset.name, hostname);
}

/** The server name (SNI) that clients of the destination ask for in the mesh's mutual TLS. */
export function serverNameOf({ hostname, port, subset }: Destination): string {
  return outboundServerName(port, subset.name, hostname);
}

/** Names of the clusters that the routes of one direction lead to. */
export interface RouteClusters {
  readonly of: (destination: Destination) => string;
  /** Takes what a route passes on to its original destination. */
  readonly passThrough: string;
}

export const OUTBOUND_CLUSTERS: RouteClusters = { of: clusterOf, passThrough: PASSTHROUGH_CLUSTER };
