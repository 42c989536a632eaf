import { HTTP_CONNECTION_MANAGER } from '../../envoy/http-connection-manager.js';
import type { MessageFields } from '../../envoy/messages/message-problem.js';
import { messageIn, textIn } from './patch-tools.js';

const NETWORK = 'type.googleapis.com/envoy.extensions.filters.network';
const HTTP = 'type.googleapis.com/envoy.extensions.filters.http';

/** Network filters that forward or answer. Envoy wants exactly one in a chain, as the last filter. */
const TERMINAL_FILTERS: ReadonlySet<string> = new Set([
  HTTP_CONNECTION_MANAGER,
  `${NETWORK}.tcp_proxy.v3.TcpProxy`,
  `${NETWORK}.redis_proxy.v3.RedisProxy`,
  `${NETWORK}.thrift_proxy.v3.ThriftProxy`,
  `${NETWORK}.dubbo_proxy.v3.DubboProxy`,
  `${NETWORK}.direct_response.v3.Config`,
  `${NETWORK}.echo.v3.Echo`,
]);

/** The same for HTTP filters. */
const TERMINAL_HTTP_FILTERS: ReadonlySet<string> = new Set([
  `${HTTP}.router.v3.Router`,
  `${HTTP}.upstream_codec.v3.UpstreamCodec`,
]);

export function isTerminalFilter(filter: MessageFields | undefined): boolean {
  return TERMINAL_FILTERS.has(typeOf(filter));
}

export function isTerminalHttpFilter(filter: MessageFields | undefined): boolean {
  return TERMINAL_HTTP_FILTERS.has(typeOf(filter));
}

/** A place for filters, and those that Envoy does not look for there. */
export interface FilterPlace {
  isTerminal(filter: MessageFields): boolean;
  isForeign(filter: MessageFields): boolean;
}

export const NETWORK_FILTERS: FilterPlace = {
  isTerminal: isTerminalFilter,
  isForeign: (filter) => typeOf(filter).startsWith(`${HTTP}.`),
};

export const HTTP_FILTERS: FilterPlace = {
  isTerminal: isTerminalHttpFilter,
  isForeign: (filter) => typeOf(filter).startsWith(`${NETWORK}.`),
};

/** A filter whose configuration is given as a struct, for types that the control plane does not know. */
export function isOpaqueFilter(filter: MessageFields | undefined): boolean {
  return typeOf(filter).endsWith('.TypedStruct');
}

function typeOf(filter: MessageFields | undefined): string {
  return textIn(messageIn(filter, 'typedConfig'), 'type_url');
}
