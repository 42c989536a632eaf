import type { MessageFields } from '../../envoy/messages/message-problem.js';
import { VIRTUAL_INBOUND_LISTENER, VIRTUAL_OUTBOUND_LISTENER } from '../../envoy/names.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import { isPort, type PatchPlace, type TrafficSide } from './patch-place.js';
import { listOf, messageIn, numberIn, textIn } from './patch-tools.js';

/** Listeners that take the connections of all ports: a port selects filter chains of theirs. */
const OF_ALL_PORTS: ReadonlySet<string> = new Set([VIRTUAL_INBOUND_LISTENER, VIRTUAL_OUTBOUND_LISTENER]);

export function matchesListener(
  { applyTo, match }: Patch,
  listener: MessageFields,
  side: TrafficSide,
  { ports }: PatchPlace,
): boolean {
  const wanted = match?.listener;
  if (wanted === undefined) return true;
  const name = textIn(listener, 'name');
  if (wanted.name !== undefined && wanted.name !== name) return false;
  if (applyTo !== 'LISTENER' && OF_ALL_PORTS.has(name)) return true;
  const address = messageIn(messageIn(listener, 'address'), 'socketAddress');
  return isPort(wanted, address === undefined ? undefined : numberIn(address, 'portValue'), side, ports);
}

/** @param port that the chain matches, if it matches one */
export function matchesChain(
  { applyTo, match }: Patch,
  chain: MessageFields,
  port: number | undefined,
  listener: MessageFields,
  { side, place }: { readonly side: TrafficSide; readonly place: PatchPlace },
): boolean {
  const wanted = match?.listener;
  if (wanted === undefined) return true;
  const isOfAllPorts = applyTo !== 'LISTENER' && OF_ALL_PORTS.has(textIn(listener, 'name'));
  if (isOfAllPorts && !isPort(wanted, port, side, place.ports)) return false;
  const { filterChain } = wanted;
  if (filterChain === undefined) return true;
  const chainMatch = messageIn(chain, 'filterChainMatch');
  const { name, sni, transportProtocol, applicationProtocols, filter } = filterChain;
  if (name !== undefined && name !== textIn(chain, 'name')) return false;
  if (sni !== undefined && !textsIn(chainMatch, 'serverNames').includes(sni)) return false;
  if (transportProtocol !== undefined && transportProtocol !== textIn(chainMatch, 'transportProtocol')) return false;
  if (applicationProtocols !== undefined) {
    const matched = textsIn(chainMatch, 'applicationProtocols');
    if (!applicationProtocols.split(',').every((protocol) => matched.includes(protocol.trim()))) return false;
  }
  // For filters themselves the name is the place in the chain, which the list decides on.
  if (filter?.name === undefined || applyTo === 'NETWORK_FILTER' || applyTo === 'HTTP_FILTER') return true;
  return listOf(chain, 'filters').some((each) => textIn(each, 'name') === filter.name);
}

function textsIn(message: MessageFields | undefined, name: string): readonly string[] {
  return message === undefined ? [] : (listOf(message, name) as unknown as readonly string[]);
}
