import { createMemo } from '../../model/memo.js';
import type { ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';

/** The service of a view that serves a port, over TCP, under one of these names; the first name that is found wins. */
export type ServedLookup = (view: ServiceView, hosts: readonly string[], port: number) => Service | undefined;

/** Looked up once for as long as the view lives. */
export function createServedLookup(): ServedLookup {
  const memo = createMemo<Service | undefined>();
  return (view, hosts, port) => memo.of([view], `${hosts.join()}:${port}`, () => findServed(view, hosts, port));
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
