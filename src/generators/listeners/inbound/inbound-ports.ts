import type { Finding } from '../../../model/finding.js';
import type { Protocol } from '../../../model/protocol.js';
import type { ServiceTarget } from '../../../model/proxy.js';
import { compareServices } from '../../../model/service-order.js';
import { type TrafficClass, trafficClass } from '../../traffic-class.js';
import { VIRTUAL_INBOUND_PORT } from './inbound-port.js';

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
 * Decides which service a port of the workload is served for: the oldest one that leads there. A younger one
 * is a conflict, but only where it is another service (BEHAVIOUR 1, nav_conflict_inbound_listener).
 *
 * @param targets of the workload, in any order of services
 * @param address of the inbound listener, for messages
 */
export function inboundPorts(targets: readonly ServiceTarget[], sniff: boolean, address: string): InboundPorts {
  const byPort = new Map<number, InboundPort>();
  const conflicts: Finding[] = [];
  for (const { service, port, targetPort } of [...targets].sort((a, b) => compareServices(a.service, b.service))) {
    const traffic = trafficClass(port.protocol, sniff);
    // Unix sockets (port 0) are not reached by redirection.
    if (traffic === 'none' || targetPort <= 0) continue;
    const listener = `${address}:${targetPort}`;
    const candidate = {
      targetPort,
      hostname: service.hostname,
      servicePort: port.number,
      servicePortName: port.name,
      protocol: port.protocol,
      traffic,
    };
    const winner = byPort.get(targetPort);
    if (targetPort === VIRTUAL_INBOUND_PORT) {
      conflicts.push(conflict(listener, 'TCP', 'virtualInbound', candidate));
    } else if (winner === undefined) {
      byPort.set(targetPort, candidate);
    } else if (winner.hostname !== service.hostname) {
      conflicts.push(conflict(listener, protocolName(winner), winner.hostname, candidate));
    }
  }
  return { ports: [...byPort.values()].sort((a, b) => a.targetPort - b.targetPort), conflicts };
}

function conflict(listener: string, acceptedAs: string, accepted: string, rejected: InboundPort): Finding {
  return {
    metric: 'nav_conflict_inbound_listener',
    // The same pair of services collides at every workload that both select: one conflict, not one per workload.
    key: `${listener}|${accepted}|${rejected.hostname}`,
    message:
      `Listener=${listener} Accepted${acceptedAs}=${accepted} ` +
      `Rejected${protocolName(rejected)}=${rejected.hostname} ${acceptedAs}Services=1`,
  };
}

function protocolName({ traffic }: InboundPort): 'HTTP' | 'TCP' {
  return traffic === 'http' ? 'HTTP' : 'TCP';
}
