import type { TypedFilter } from '../../envoy/typed-filter.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { ResponseMapper } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';

/** The facts about a filter chain that plugins read. */
export interface ChainDescription {
  /** `gateway`: from clients outside of the mesh, at a router. */
  readonly direction: 'inbound' | 'outbound' | 'gateway';
  /** The cluster of the one service that the chain is for; undefined where routes decide, or no service has it. */
  readonly serviceCluster: string | undefined;
}

/** Access logs of connections. */
export interface TcpAccessLogs {
  readonly logs: readonly TypedFilter[];
  /** Milliseconds between two records of a connection; its begin and its end have one as well. */
  readonly intervalMs: number;
}

/**
 * The additions of a plugin to the listeners of one proxy: filters before those that every chain has, and access logs.
 */
export interface ListenerPlan {
  /** Names every input of the plan beside the mesh config: proxies with equal keys share their listeners. */
  readonly key: string;
  /**
   * The same for what only inbound listeners and those of routers depend on, so that proxies share outbound ones. Default:
   * nothing more.
   */
  readonly inboundKey?: string;
  httpFilters(chain: ChainDescription): readonly HttpFilter[];
  /** For chains of bytes. */
  networkFilters(chain: ChainDescription): readonly Filter[];
  httpAccessLogs(direction: ChainDescription['direction']): readonly TypedFilter[];
  tcpAccessLogs(direction: ChainDescription['direction']): TcpAccessLogs | undefined;
  /** Bodies and headers of responses that the HTTP filters of the plugin send themselves. */
  readonly localReplies: readonly ResponseMapper[];
}
