import type { EnvoyFilterMatch } from '../../config/networking/envoy-filter.js';
import type { ProxyType } from '../../model/proxy.js';

/** The traffic that a resource is for. */
export type TrafficSide = 'SIDECAR_INBOUND' | 'SIDECAR_OUTBOUND' | 'GATEWAY';

/** Port numbers by the names that patches have for them, in lower case. */
export interface NamedPorts {
  /** Equal ones have equal keys. */
  readonly key: string;
  numbers(side: TrafficSide, name: string): ReadonlySet<number>;
}

/** The facts about a proxy that matches read beside the resource. */
export interface PatchPlace {
  readonly proxyType: ProxyType;
  readonly ports: NamedPorts;
}

export function sideOf(proxyType: ProxyType, isInbound: boolean): TrafficSide {
  if (proxyType === 'router') return 'GATEWAY';
  return isInbound ? 'SIDECAR_INBOUND' : 'SIDECAR_OUTBOUND';
}

export function isForSide(match: EnvoyFilterMatch | undefined, side: TrafficSide): boolean {
  return match === undefined || match.context === 'ANY' || match.context === side;
}

/** Whether a port has the number and the name of a match. @param port undefined if the resource has none */
export function isPort(
  { portNumber, portName }: { readonly portNumber?: number | undefined; readonly portName?: string | undefined },
  port: number | undefined,
  side: TrafficSide,
  ports: NamedPorts,
): boolean {
  if (portNumber !== undefined && portNumber !== port) return false;
  if (portName === undefined) return true;
  return port !== undefined && ports.numbers(side, portName.toLowerCase()).has(port);
}
