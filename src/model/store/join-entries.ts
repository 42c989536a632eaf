import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../endpoint.js';
import type { Finding } from '../finding.js';
import type { ServiceContribution } from '../registry/service-contribution.js';
import type { Port, Service } from '../service.js';
import { compareText } from '../service-order.js';
import { seenTogether } from './visibility.js';

/** Joins the contributions of one namespace to one host. */
export type JoinEntries = (contributions: readonly ServiceContribution[]) => readonly ServiceContribution[];

/**
 * Whether two ServiceEntries of one namespace can be one service: both resolve endpoints in the same way and are
 * exported to the same namespaces, so that none sees a part that only the other exports.
 */
function canJoin(first: Service, second: Service): boolean {
  return first.resolution === second.resolution && isDeepStrictEqual(first.exportTo, second.exportTo);
}

/**
 * Joins the ports of all ServiceEntries that a namespace has for one host; the first fail policy applies. The first
 * entry keeps a port number and name that several use; a later port of the same name gets its number as a suffix.
 * Contributions that cannot be joined are left out. Contributions to a Service are not joined, because the Service
 * defines the ports.
 */
export function createEntryJoiner(): JoinEntries {
  const renamed = new WeakMap<
    ServiceContribution,
    { readonly key: string; readonly contribution: ServiceContribution }
  >();

  const rename = (contribution: ServiceContribution, names: ReadonlyMap<string, string>): ServiceContribution => {
    const key = JSON.stringify([...names]);
    const known = renamed.get(contribution);
    if (known?.key === key) return known.contribution;
    const endpoints = (list: readonly Endpoint[]): readonly Endpoint[] =>
      list.map((endpoint) => ({ ...endpoint, portName: names.get(endpoint.portName) ?? endpoint.portName }));
    const next = {
      ...contribution,
      endpoints: endpoints(contribution.endpoints),
      unready: endpoints(contribution.unready),
    };
    renamed.set(contribution, { key, contribution: next });
    return next;
  };

  return (contributions) => {
    const [first, ...others] = contributions;
    if (first === undefined || others.length === 0 || first.service.registry !== 'External') return contributions;
    const ports = [...first.service.ports];
    const joined = others
      .filter(({ service }) => canJoin(first.service, service))
      .map((contribution) => {
        const names = addPorts(ports, contribution.service.ports);
        return names.size === 0 ? contribution : rename(contribution, names);
      });
    const failPolicy = first.service.failPolicy ?? joined.find(({ service }) => service.failPolicy)?.service.failPolicy;
    return [{ ...first, service: { ...first.service, ports, ...(failPolicy && { failPolicy }) } }, ...joined];
  };
}

/** @returns the names of ports in the joined service, where they differ */
function addPorts(ports: Port[], added: readonly Port[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const port of added) {
    const same = ports.find(({ number }) => number === port.number);
    const isTaken = same === undefined && ports.some(({ name }) => name === port.name);
    const name = same?.name ?? (isTaken ? `${port.name}-${port.number}` : port.name);
    if (same === undefined) ports.push({ ...port, name });
    if (name !== port.name) names.set(port.name, name);
  }
  return names;
}

/**
 * Reports a host that several objects claim, if one namespace sees more than one of them: it can have only one cluster
 * of that name. No conflict are a ServiceEntry that adds endpoints to a Service of its own namespace, entries of one
 * namespace that can be joined, and a Service that several clusters have.
 */
export function duplicateHosts(hostname: string, contributions: readonly ServiceContribution[]): readonly Finding[] {
  const sources = new Set<string>();
  for (const [index, { service: first }] of contributions.entries()) {
    for (const { service: second } of contributions.slice(index + 1)) {
      const areEntries = first.registry === 'External' && second.registry === 'External';
      if (first.namespace === second.namespace && (!areEntries || canJoin(first, second))) continue;
      if (first.source !== second.source && seenTogether(first, second)) sources.add(first.source).add(second.source);
    }
  }
  if (sources.size === 0) return [];
  const names = [...sources].sort(compareText).join(', ');
  const message = `Host ${hostname} is claimed by ${names}: each namespace is served one of them, its own first, then the oldest; remove the others or limit their exportTo`;
  return [{ metric: 'nav_duplicate_proxy_clusters', key: hostname, message }];
}
