import type { Finding } from '../../../model/finding.js';
import type { ServiceTarget } from '../../../model/proxy.js';
import { workloadMutualTls } from '../../../model/security/mutual-tls.js';
import { servedPorts } from '../../../model/served-ports.js';
import type { Protocol } from '../../../model/service.js';
import { type TrafficClass, trafficClass } from '../../traffic-class.js';

/** The port that inbound connections are redirected to. */
export const VIRTUAL_INBOUND_PORT = 15006;

/** For proxies without a certificate. */
export const PLAINTEXT = workloadMutualTls('DISABLE');

/** A port of the workload, and the service port that decides how its connections are served. */
export interface InboundPort {
  readonly targetPort: number;
  readonly hostname: string;
  readonly servicePort: number;
  readonly servicePortName: string;
  readonly protocol: Protocol;
  readonly traffic: Exclude<TrafficClass, 'none'>;
}

export interface InboundPorts {
  /** Sorted by target port, each once. */
  readonly ports: readonly InboundPort[];
  readonly conflicts: readonly Finding[];
}

/**
 * Decides which service a port of the workload belongs to: the oldest one that targets it. Any other service that
 * targets it is a conflict (docs/reference/xds.md#listener-conflicts, nav_conflict_inbound_listener).
 *
 * @param targets of the workload, in any order of services
 * @param address of the inbound listener, for messages
 */
export function inboundPorts(targets: readonly ServiceTarget[], sniff: boolean, address: string): InboundPorts {
  const inboundPort = ({ service, port, targetPort }: ServiceTarget): InboundPort | undefined => {
    const traffic = trafficClass(port.protocol, sniff);
    if (traffic === 'none') return undefined;
    const { protocol, number: servicePort, name: servicePortName } = port;
    return { targetPort, hostname: service.hostname, servicePort, servicePortName, protocol, traffic };
  };
  const { served, shadowed } = servedPorts(targets);
  const ports: InboundPort[] = [];
  const conflicts: Finding[] = [];
  const refuse = (target: ServiceTarget, acceptedAs: string, accepted: string): void => {
    const rejected = inboundPort(target);
    if (rejected === undefined) return;
    const found = conflict(`${address}:${rejected.targetPort}`, acceptedAs, accepted, rejected);
    conflicts.push({ ...found, object: target.service.source });
  };
  for (const target of served.values()) {
    const port = inboundPort(target);
    if (target.targetPort === VIRTUAL_INBOUND_PORT) refuse(target, 'TCP', 'virtualInbound');
    else if (port !== undefined) ports.push(port);
  }
  for (const { target, by } of shadowed) {
    const winner = inboundPort(by);
    if (target.targetPort === VIRTUAL_INBOUND_PORT) refuse(target, 'TCP', 'virtualInbound');
    else if (winner !== undefined) refuse(target, protocolName(winner), winner.hostname);
  }
  return { ports: ports.sort((a, b) => a.targetPort - b.targetPort), conflicts };
}

function conflict(listener: string, acceptedAs: string, accepted: string, rejected: InboundPort): Finding {
  return {
    metric: 'nav_conflict_inbound_listener',
    // One conflict per pair of services, not one per workload that both select.
    key: `${listener}|${accepted}|${rejected.hostname}`,
    message:
      `Listener=${listener} Accepted${acceptedAs}=${accepted} ` +
      `Rejected${protocolName(rejected)}=${rejected.hostname} ${acceptedAs}Services=1`,
  };
}

function protocolName({ traffic }: InboundPort): 'HTTP' | 'TCP' {
  return traffic === 'http' ? 'HTTP' : 'TCP';
}
