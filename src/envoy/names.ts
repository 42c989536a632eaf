/** Names of clusters, listeners and routes (docs/reference/xds.md#names). */

export const BLACK_HOLE_CLUSTER = 'BlackHoleCluster';
export const PASSTHROUGH_CLUSTER = 'PassthroughCluster';
export const INBOUND_PASSTHROUGH_CLUSTER_IPV4 = 'InboundPassthroughClusterIpv4';
export const INBOUND_PASSTHROUGH_CLUSTER_IPV6 = 'InboundPassthroughClusterIpv6';
export const VIRTUAL_OUTBOUND_LISTENER = 'virtualOutbound';
export const VIRTUAL_INBOUND_LISTENER = 'virtualInbound';

/** The parts of an outbound cluster's name. */
export interface OutboundClusterName {
  readonly port: number;
  /** Empty for the whole service. */
  readonly subset: string;
  readonly hostname: string;
}

/** `outbound|<port>|<subset>|<host>` */
export function outboundClusterName(port: number, subset: string, hostname: string): string {
  return `outbound|${port}|${subset}|${hostname}`;
}

/** `outbound_.<port>_.<subset>_.<host>`: the server name (SNI) that clients of an outbound cluster ask for. */
export function outboundServerName(port: number, subset: string, hostname: string): string {
  return `outbound_.${port}_.${subset}_.${hostname}`;
}

/** `inbound|<port>|<portName>|<host>` */
export function inboundClusterName(port: number, portName: string, hostname: string): string {
  return `inbound|${port}|${portName}|${hostname}`;
}

/** The host of `outbound|<port>|<subset>|<host>`. Names of clusters of other forms have no host. */
export function hostOfCluster(name: string): string {
  return name.slice(name.lastIndexOf('|') + 1);
}

/** Undefined if it is not the name of an outbound cluster. */
export function parseOutboundClusterName(name: string): OutboundClusterName | undefined {
  const [direction, port, subset, hostname, ...rest] = name.split('|');
  if (direction !== 'outbound' || subset === undefined || !hostname || rest.length > 0) return undefined;
  if (port === undefined || !/^[0-9]{1,5}$/.test(port)) return undefined;
  return { port: Number(port), subset, hostname };
}
