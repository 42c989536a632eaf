import { appendTo } from '../../base/append-to.js';
import type { Endpoint, ServiceEndpoints } from '../../model/endpoint.js';
import { memoize } from '../../model/memo.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { inOrderOfRank } from '../../model/service-order.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';

/** Where a client is, as far as that is known. */
export interface ClientPlace {
  /** Namespace of the workload with the client's address; empty if it is unknown. */
  readonly namespace: string;
  /** Cluster of the workload; undefined if it is unknown. */
  readonly cluster: string | undefined;
}

/** What a name stands for. */
export type MeshName =
  | { readonly type: 'service'; readonly service: Service }
  /** One pod of a headless service. */
  | { readonly type: 'pod'; readonly service: Service; readonly endpoints: readonly Endpoint[] }
  /** `_<port>._<tcp|udp>.<service>`; without `port`, the service has no such port. */
  | { readonly type: 'port'; readonly service: Service; readonly port: string; readonly isUdp: boolean }
  /** A name below a service that does not exist. */
  | { readonly type: 'nothing'; readonly service: Service; readonly hasNamesBelow: boolean };

/**
 * Finds the services of the mesh by name: by their host, and services of the orchestrator also by `name.namespace` and,
 * in their own namespace, by their bare name. The services are those that the namespace of the client sees; an unknown
 * namespace sees the services that are exported to all.
 */
export function findMeshName(context: PushContext, client: ClientPlace, name: string): MeshName | undefined {
  const hosts = hostsOf(context.viewIn(client.namespace, client.cluster));
  const find = (text: string) => findService(hosts, shortForms(text, context.domain, client.namespace));
  const service = find(name);
  if (service !== undefined) return { type: 'service', service };
  const labels = name.split('.');
  const [first = '', second = ''] = labels;
  const below = find(labels.slice(1).join('.'));
  const isProtocol = (label: string) => label === '_tcp' || label === '_udp';
  if (first.startsWith('_') && isProtocol(second)) {
    const ported = find(labels.slice(2).join('.'));
    if (ported !== undefined) {
      return { type: 'port', service: ported, port: first.slice(1), isUdp: second === '_udp' };
    }
  }
  if (below !== undefined) {
    const endpoints = podEndpoints(context, below, first);
    if (endpoints.length > 0) return { type: 'pod', service: below, endpoints };
    if (isLocal(below)) return { type: 'nothing', service: below, hasNamesBelow: isProtocol(first) };
    return undefined;
  }
  for (let depth = 2; depth < labels.length; depth++) {
    const above = find(labels.slice(depth).join('.'));
    if (above !== undefined) {
      return isLocal(above) ? { type: 'nothing', service: above, hasNamesBelow: false } : undefined;
    }
  }
  return undefined;
}

/** Whether all names at and below the host are those of the mesh. Other hosts have names and records elsewhere, too. */
export function isLocal({ registry }: Service): boolean {
  return registry !== 'External';
}

/** The name of a pod below its headless service: its host name, and without one its address with dashes. */
export function podLabel({ hostname, address }: Pick<Endpoint, 'hostname' | 'address'>): string {
  return hostname === '' ? address.replaceAll(/[.:]/g, '-') : hostname.toLowerCase();
}

function podEndpoints(context: PushContext, service: Service, label: string): readonly Endpoint[] {
  const endpoints = service.headless ? endpointsOf(context, service) : undefined;
  return (endpoints && podsOf(endpoints).get(label)) ?? [];
}

/** By label. A service may have thousands of pods, and clients ask for them at any rate. */
const podsOf = memoize(({ shards }: ServiceEndpoints): ReadonlyMap<string, readonly Endpoint[]> => {
  const pods = new Map<string, Endpoint[]>();
  for (const endpoints of shards.values()) {
    for (const endpoint of endpoints) appendTo(pods, podLabel(endpoint), endpoint);
  }
  return pods;
});

/** Wildcard hosts have no address, so they are left out. */
const hostsOf = memoize((view: ServiceView): ReadonlyMap<string, Service> => {
  const hosts = new Map<string, Service>();
  for (const service of inOrderOfRank(view.services, (each) => each)) {
    const host = service.hostname.toLowerCase();
    if (!host.startsWith('*') && !hosts.has(host)) hosts.set(host, service);
  }
  return hosts;
});

/** A service of the orchestrator by a short name has precedence over the host of a ServiceEntry, as in proxies. */
function findService(hosts: ReadonlyMap<string, Service>, forms: readonly string[]): Service | undefined {
  let found: Service | undefined;
  for (const form of forms) {
    const service = hosts.get(form);
    if (service !== undefined && isLocal(service)) return service;
    found ??= service;
  }
  return found;
}

/** The hosts that a name may stand for. */
function shortForms(name: string, domain: string, namespace: string): readonly string[] {
  const labels = name.split('.').length;
  if (name.endsWith(`.${domain}`)) return [name];
  if (labels === 1) return namespace === '' ? [name] : [name, `${name}.${namespace}.svc.${domain}`];
  if (labels === 2) return [name, `${name}.svc.${domain}`];
  return labels === 3 && name.endsWith('.svc') ? [name, `${name}.${domain}`] : [name];
}
