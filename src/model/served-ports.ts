import type { ServiceTarget } from './proxy.js';
import { compareRanks, compareServices } from './service-order.js';

/** A service's port at a workload that serves the port of that number for another service. */
export interface ShadowedTarget {
  readonly target: ServiceTarget;
  /** What the port is served for. */
  readonly by: ServiceTarget;
}

export interface ServedPorts {
  /** By the port that the workload listens on. */
  readonly served: ReadonlyMap<number, ServiceTarget>;
  /** In the order in which they lost: the oldest service first. */
  readonly shadowed: readonly ShadowedTarget[];
}

/**
 * Decides which service each port of a workload is served for: the oldest one that leads there, a Service before a ServiceEntry, for what arrives does
 * not say which service it was sent to. Ports that are not served at all (UDP, unix sockets) are left out.
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
    // Unix sockets (port 0) are not reached by redirection.
    if (port.protocol === 'udp' || targetPort <= 0) continue;
    const by = served.get(targetPort);
    if (by === undefined) served.set(targetPort, target);
    else if (by.service.hostname !== service.hostname) shadowed.push({ target, by });
  }
  return { served, shadowed };
}

/** Two services that lead to one port of the same workloads, which serve it for one of them. */
export interface SharedPort {
  /** That the workloads listen on. */
  readonly port: number;
  /** Host of the service that it is not served for. */
  readonly service: string;
  /** Host of the older one that it is served for. */
  readonly servedFor: string;
  /** Of both services: a workload's own ones are of its own namespace. */
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
