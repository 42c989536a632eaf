import type { ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';

/** The service of a view that serves a port, over TCP, under one of these names; the first name that is found wins. */
export type ServedLookup = (view: ServiceView, hosts: readonly string[], port: number) => Service | undefined;

/** Looked up once for as long as the view lives. */
export function createServedLookup(): ServedLookup {
  const known = new WeakMap<ServiceView, Map<string, Service | undefined>>();
  return (view, hosts, port) => {
    let byAddress = known.get(view);
    if (byAddress === undefined) {
      byAddress = new Map();
      known.set(view, byAddress);
    }
    const address = `${hosts.join()}:${port}`;
    if (!byAddress.has(address)) byAddress.set(address, findServed(view, hosts, port));
    return byAddress.get(address);
  };
}

function findServed({ services }: ServiceView, hosts: readonly string[], port: number): Service | undefined {
  const serves = ({ ports }: Service): boolean =>
    ports.some(({ number, protocol }) => number === port && protocol !== 'udp');
  for (const host of hosts) {
    const found = services.find((service) => service.hostname === host && serves(service));
    if (found !== undefined) return found;
  }
  return undefined;
}
