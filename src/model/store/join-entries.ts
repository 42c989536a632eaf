import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../endpoint.js';
import type { ServiceClaim } from '../registry/service-claim.js';
import type { Port, Service } from '../service.js';

/** Joins the claims of one namespace on one host. */
export type JoinEntries = (claims: readonly ServiceClaim[]) => readonly ServiceClaim[];

/**
 * Whether two ServiceEntries of one namespace can be one service: it finds its endpoints in one way, and is seen by the
 * same namespaces, so that none of them is shown what only the other exports.
 */
export function canJoin(first: Service, second: Service): boolean {
  return first.resolution === second.resolution && isDeepStrictEqual(first.exportTo, second.exportTo);
}

/**
 * Serves the ports of all ServiceEntries that a namespace has for one host, with the fail policy of the first one that has
 * one. The first entry has a number and a name
 * that several use; a later port of the same name gets its number behind it. Claims that cannot be joined are left out;
 * claims on a Service are as they are, because the Service says which ports it has.
 */
export function createEntryJoiner(): JoinEntries {
  const renamed = new WeakMap<ServiceClaim, { readonly key: string; readonly claim: ServiceClaim }>();

  const rename = (claim: ServiceClaim, names: ReadonlyMap<string, string>): ServiceClaim => {
    const key = JSON.stringify([...names]);
    const known = renamed.get(claim);
    if (known?.key === key) return known.claim;
    const endpoints = (list: readonly Endpoint[]): readonly Endpoint[] =>
      list.map((endpoint) => ({ ...endpoint, portName: names.get(endpoint.portName) ?? endpoint.portName }));
    const next = { ...claim, endpoints: endpoints(claim.endpoints), unready: endpoints(claim.unready) };
    renamed.set(claim, { key, claim: next });
    return next;
  };

  return (claims) => {
    const [first, ...others] = claims;
    if (first === undefined || others.length === 0 || first.service.registry !== 'External') return claims;
    const ports = [...first.service.ports];
    const joined = others
      .filter(({ service }) => canJoin(first.service, service))
      .map((claim) => {
        const names = addPorts(ports, claim.service.ports);
        return names.size === 0 ? claim : rename(claim, names);
      });
    const failPolicy = first.service.failPolicy ?? joined.find(({ service }) => service.failPolicy)?.service.failPolicy;
    return [{ ...first, service: { ...first.service, ports, ...(failPolicy && { failPolicy }) } }, ...joined];
  };
}

/** @returns what ports are called among the others, where that is not their own name */
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
