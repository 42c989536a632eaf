import { coversHost } from '../../../config/networking/host-names.js';
import type { ConnectionMatch, ConnectionRoute } from '../../../model/traffic/connection-route.js';
import type { ConnectionRoutes } from '../../../model/traffic/service-routes.js';
import type { ChainLayout } from './listener-layout.js';
import type { ListenerBinding } from './service-bindings.js';

/** The chains of a listener: those with a condition, and the one that takes all other connections. */
interface Chains {
  readonly chains: readonly ChainLayout[];
  readonly rest: ChainLayout | undefined;
}

/**
 * Adds chains for the connections that objects route, before those of their service. Envoy rejects a listener with two
 * chains of one condition: the first has it. Of conditions that overlap, Envoy takes the one with the most specific
 * destination, then server name, then source.
 *
 * @param shared whether services share the listener, so that a server name stands for one of them
 */
export function routeConnections(
  { chains, rest }: Chains,
  shared: boolean,
  routesOf: (binding: ListenerBinding) => ConnectionRoutes,
): Chains {
  const all = rest === undefined ? chains : [...chains, rest];
  if (!all.some((chain) => routesOfChain(chain, routesOf).length > 0)) return { chains, rest };
  const taken = new Set<string>();
  const added: ChainLayout[] = [];
  let last = rest;
  const add = (chain: ChainLayout): void => {
    for (const match of untaken(chain.match, chain.onlyHttp, taken)) added.push({ ...chain, match });
  };
  for (const chain of all) {
    const { target } = chain;
    const fallbacks: ConnectionMatch[] = [];
    let isWhole = false;
    for (const [position, route] of routesOfChain(chain, routesOf).entries()) {
      if (target.type !== 'service') break;
      const match = joinMatches(chain.match, route.match, shared ? target.binding.service.hostname : undefined);
      if (match === undefined) continue;
      const routed = { action: route.action, position: String(position) };
      const layout: ChainLayout = { ...chain, match, target: { ...target, routed } };
      if (chain === rest && Object.keys(match).length === 0) {
        last = layout;
        isWhole = true;
        break;
      }
      add(layout);
      // Envoy does not go back to a wider range when the source or name within this one does not match.
      const { destinationRanges, sourceRanges, serverNames } = match;
      const isNarrower =
        sourceRanges !== undefined || (serverNames !== undefined && chain.match.serverNames === undefined);
      if (destinationRanges !== undefined && isNarrower) fallbacks.push({ destinationRanges });
    }
    const remaining = chain === rest ? last : chain;
    for (const match of fallbacks)
      if (remaining !== undefined) add({ ...remaining, match: { ...chain.match, ...match } });
    if (chain !== rest && !isWhole) add(chain);
  }
  return { chains: added, rest: last };
}

const NO_ROUTES: readonly ConnectionRoute[] = [];

/** TLS ports are routed by server name, all others as bytes. */
function routesOfChain(
  { target }: ChainLayout,
  routesOf: (binding: ListenerBinding) => ConnectionRoutes,
): readonly ConnectionRoute[] {
  if (target.type !== 'service') return NO_ROUTES;
  const { tls, tcp } = routesOf(target.binding);
  return target.binding.traffic === 'tls' ? tls : tcp;
}

/**
 * The connections of a chain that a route is for. The ranges of the route replace those of the chain.
 *
 * @param onlyHost the service whose connections alone the chain has, where others share the listener
 * @returns undefined for none
 */
function joinMatches(
  chain: ConnectionMatch,
  route: ConnectionMatch,
  onlyHost: string | undefined,
): ConnectionMatch | undefined {
  const { serverNames = chain.serverNames, ...others } = { ...chain, ...route };
  if (serverNames === undefined) return others;
  const names = onlyHost === undefined ? serverNames : namesWithin(serverNames, onlyHost.toLowerCase());
  return names.length === 0 ? undefined : { ...others, serverNames: names };
}

function namesWithin(names: readonly string[], host: string): readonly string[] {
  const within = names.flatMap((name) => {
    if (coversHost(host, name)) return [name];
    return coversHost(name, host) ? [host] : [];
  });
  return [...new Set(within)];
}

/** The part of a condition that no chain has yet, and which it now has. */
function untaken(match: ConnectionMatch, onlyHttp: boolean, taken: Set<string>): readonly ConnectionMatch[] {
  const free: ConnectionMatch[] = [];
  let isCut = false;
  for (const range of match.destinationRanges ?? [undefined]) {
    for (const name of match.serverNames ?? [undefined]) {
      for (const source of match.sourceRanges ?? [undefined]) {
        const key = JSON.stringify([match.port, range, name, source, onlyHttp]);
        if (taken.has(key)) isCut = true;
        else free.push(single(match, range, name, source));
        taken.add(key);
      }
    }
  }
  return isCut ? free : [match];
}

function single(
  { port }: ConnectionMatch,
  range: string | undefined,
  name: string | undefined,
  source: string | undefined,
): ConnectionMatch {
  return {
    ...(port === undefined ? {} : { port }),
    ...(range === undefined ? {} : { destinationRanges: [range] }),
    ...(name === undefined ? {} : { serverNames: [name] }),
    ...(source === undefined ? {} : { sourceRanges: [source] }),
  };
}
