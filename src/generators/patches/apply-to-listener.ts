import { HTTP_CONNECTION_MANAGER } from '../../envoy/http-connection-manager.js';
import type { MessageFields } from '../../envoy/messages/message-problem.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import type { PatchEffect } from './apply-to-cluster.js';
import { applyToRoutes } from './apply-to-routes.js';
import { isTerminalFilter, isTerminalHttpFilter } from './filter-kinds.js';
import { matchesChain, matchesListener } from './match-listener.js';
import { changeList } from './patch-list.js';
import { isForSide, type PatchPlace, sideOf, type TrafficSide } from './patch-place.js';
import { listOf, messageIn, numberIn, PatchError, type PatchTools, textIn } from './patch-tools.js';

/** TrafficDirection.INBOUND */
const INBOUND = 1;

/** A filter chain, and whether it is the one for connections that no other chain matches. */
interface Chain {
  readonly message: MessageFields;
  /** Port of the connections that it takes, if it names one. */
  readonly port: number | undefined;
}

/** Applies a patch to a listener: to itself, its chains, their filters, or the routes in them. */
export function applyToListener(
  tools: PatchTools,
  patch: Patch,
  listener: MessageFields,
  place: PatchPlace,
): PatchEffect {
  const side = sideOf(place.proxyType, numberIn(listener, 'trafficDirection') === INBOUND);
  if (!isForSide(patch.match, side)) return 'none';
  switch (patch.applyTo) {
    case 'LISTENER':
      return applyToItself(tools, patch, listener, side, place);
    case 'FILTER_CHAIN':
      return changed(
        matchesListener(patch, listener, side, place) && changeChains(tools, patch, listener, side, place),
      );
    case 'NETWORK_FILTER':
      return changed(
        overChains(patch, listener, side, place, ({ message }) => changeNetworkFilters(tools, patch, message)),
      );
    case 'HTTP_FILTER':
      return changed(
        overChains(patch, listener, side, place, ({ message }) =>
          overManagers(tools, patch, message, (manager) => changeHttpFilters(tools, patch, manager)),
        ),
      );
    case 'ROUTE_CONFIGURATION':
    case 'VIRTUAL_HOST':
    case 'HTTP_ROUTE':
      return changed(
        chainsOf(listener)
          .map(({ message, port }) =>
            overManagers(tools, patch, message, (manager) => {
              const routes = messageIn(manager, 'routeConfig');
              return routes !== undefined && applyToRoutes(tools, patch, routes, { ...place, side, port });
            }),
          )
          .includes(true),
      );
    case 'CLUSTER':
      return 'none';
  }
}

function changed(isChanged: boolean): PatchEffect {
  return isChanged ? 'changed' : 'none';
}

function applyToItself(
  tools: PatchTools,
  patch: Patch,
  listener: MessageFields,
  side: TrafficSide,
  place: PatchPlace,
): PatchEffect {
  const { operation } = patch.patch;
  if (operation === 'ADD' || !matchesListener(patch, listener, side, place)) return 'none';
  const wantsChain = patch.match?.listener?.filterChain !== undefined;
  if (
    wantsChain &&
    !chainsOf(listener).some(({ message, port }) => matchesChain(patch, message, port, listener, { side, place }))
  ) {
    return 'none';
  }
  if (operation === 'REMOVE') return 'removed';
  tools.merge(patch, listener);
  return 'changed';
}

function changeChains(
  tools: PatchTools,
  patch: Patch,
  listener: MessageFields,
  side: TrafficSide,
  place: PatchPlace,
): boolean {
  const matches = (chain: MessageFields): boolean =>
    matchesChain(patch, chain, portOfChain(chain), listener, { side, place });
  const isChanged = changeList(listOf(listener, 'filterChains'), {
    operation: patch.patch.operation,
    isSelective: patch.match?.listener?.filterChain !== undefined,
    matches,
    create: () => tools.valueOf(patch),
    merge: (chain) => tools.merge(patch, chain),
  });
  const last = messageIn(listener, 'defaultFilterChain');
  if (last === undefined || patch.patch.operation === 'ADD' || !matches(last)) return isChanged;
  if (patch.patch.operation === 'REMOVE') delete listener['defaultFilterChain'];
  else tools.merge(patch, last);
  return true;
}

function chainsOf(listener: MessageFields): readonly Chain[] {
  const chains = [...listOf(listener, 'filterChains')];
  const last = messageIn(listener, 'defaultFilterChain');
  if (last !== undefined) chains.push(last);
  return chains.map((message) => ({ message, port: portOfChain(message) }));
}

function portOfChain(chain: MessageFields): number | undefined {
  const port = messageIn(messageIn(chain, 'filterChainMatch'), 'destinationPort');
  return port === undefined ? undefined : numberIn(port, 'value');
}

/** Calls `change` for each chain that the patch matches. @returns whether one changed */
function overChains(
  patch: Patch,
  listener: MessageFields,
  side: TrafficSide,
  place: PatchPlace,
  change: (chain: Chain) => boolean,
): boolean {
  if (!matchesListener(patch, listener, side, place)) return false;
  return chainsOf(listener)
    .filter(({ message, port }) => matchesChain(patch, message, port, listener, { side, place }))
    .map(change)
    .includes(true);
}

function changeNetworkFilters(tools: PatchTools, patch: Patch, chain: MessageFields): boolean {
  const filters = listOf(chain, 'filters');
  const wanted = patch.match?.listener?.filterChain?.filter?.name;
  return changeList(filters, {
    operation: patch.patch.operation,
    isSelective: wanted !== undefined,
    matches: (filter) => wanted === undefined || textIn(filter, 'name') === wanted,
    create: () => tools.valueOf(patch),
    merge: (filter) => mergeFilter(tools, patch, filter),
    fixedTail: isTerminalFilter(filters.at(-1)) ? 1 : 0,
  });
}

/** Calls `change` for each HTTP connection manager of a chain that the patch matches, and keeps what it changed. */
function overManagers(
  tools: PatchTools,
  patch: Patch,
  chain: MessageFields,
  change: (manager: MessageFields) => boolean,
): boolean {
  const wanted = patch.match?.listener?.filterChain?.filter?.name;
  let isChanged = false;
  for (const filter of listOf(chain, 'filters')) {
    if (wanted !== undefined && textIn(filter, 'name') !== wanted) continue;
    const manager = tools.open(filter['typedConfig'], HTTP_CONNECTION_MANAGER);
    if (manager === undefined || !change(manager)) continue;
    filter['typedConfig'] = tools.seal(HTTP_CONNECTION_MANAGER, manager);
    isChanged = true;
  }
  return isChanged;
}

function changeHttpFilters(tools: PatchTools, patch: Patch, manager: MessageFields): boolean {
  const filters = listOf(manager, 'httpFilters');
  const wanted = patch.match?.listener?.filterChain?.filter?.subFilter?.name;
  return changeList(filters, {
    operation: patch.patch.operation,
    isSelective: wanted !== undefined,
    matches: (filter) => wanted === undefined || textIn(filter, 'name') === wanted,
    create: () => tools.valueOf(patch),
    merge: (filter) => mergeFilter(tools, patch, filter),
    fixedTail: isTerminalHttpFilter(filters.at(-1)) ? 1 : 0,
  });
}

function mergeFilter(tools: PatchTools, patch: Patch, filter: MessageFields): void {
  const isDiscovered = messageIn(filter, 'configDiscovery') !== undefined;
  tools.merge(patch, filter);
  if (isDiscovered && messageIn(filter, 'typedConfig') !== undefined) {
    throw new PatchError(`the filter ${textIn(filter, 'name')} gets its configuration separately (ECDS)`);
  }
}
