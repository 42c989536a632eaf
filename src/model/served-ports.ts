import type { ServiceTarget } from './proxy.js';
import { compareRanks, compareServices } from './service-order.js';

/** A service port whose target port belongs to another service at a workload. */
export interface ShadowedTarget {
  readonly target: ServiceTarget;
  /** What the port is served for. */
  readonly by: ServiceTarget;
}

export interface ServedPorts {
  /** By target port. */
  readonly served: ReadonlyMap<number, ServiceTarget>;
  /** By age: the oldest service first. */
  readonly shadowed: readonly ShadowedTarget[];
}

/**
 * Decides which service each port of a workload belongs to: the oldest one that targets it, a Service before a
 * ServiceEntry. A connection does not name the service that the client meant. UDP ports and unix sockets are left out.
 *
 * @param targets of the workload, in any order
 */
export function servedPorts(targets: readonly ServiceTarget[]): ServedPorts {
  const served = new Map<number, ServiceTarget>();
  const shadowed: ShadowedTarget[] = [];
  for (const target of [...targets].sort(
    (a, b) => compareRanks(a.service, b.service) || compareServices(a.service, b.service),
  )) {
    const { service, port, targetPort } = target;
    // Redirection does not reach unix sockets (port 0).
    if (port.protocol === 'udp' || targetPort <= 0) continue;
    const by = served.get(targetPort);
    if (by === undefined) served.set(targetPort, target);
    else if (by.service.hostname !== service.hostname) shadowed.push({ target, by });
  }
  return { served, shadowed };
}

/** Two services that target one port of the same workloads; the port belongs to one of them. */
export interface SharedPort {
  /** The target port. */
  readonly port: number;
  /** Host of the service that does not get the port. */
  readonly service: string;
  /** Host of the older service, which gets the port. */
  readonly servedFor: string;
  /** Namespace of both services: a workload serves services of its own namespace. */
  readonly namespace: string;
}

/** The ports that several services share at workloads with these targets; sorted, each once. */
export function sharedPorts(lists: Iterable<readonly ServiceTarget[]>): readonly SharedPort[] {
  const found = new Map<string, SharedPort>();
  for (const targets of lists) {
    for (const { target, by } of servedPorts(targets).shadowed) {
      const { hostname: service, namespace } = target.service;
      const shared = { port: target.targetPort, service, servedFor: by.service.hostname, namespace };
      found.set(JSON.stringify([service, shared.port, shared.servedFor, namespace]), shared);
    }
  }
  return [...found].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, shared]) => shared);
}
