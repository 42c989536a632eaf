import type { TypedFilter } from '../../envoy/typed-filter.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { ResponseMapper } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';

/** A filter chain as a plugin sees it. */
export interface ChainDescription {
  readonly direction: 'inbound' | 'outbound';
  /** The cluster of the one service that the chain is for; undefined where routes decide, or no service has it. */
  readonly serviceCluster: string | undefined;
}

/** Access logs of connections. */
export interface TcpAccessLogs {
  readonly logs: readonly TypedFilter[];
  /** They tell of a connection when it begins, then each time after this, and when it ends. */
  readonly intervalMs: number;
}

/** What a plugin adds to the listeners of one proxy: filters before the ones that every chain has, and access logs. */
export interface ListenerPlan {
  /** Names all that the plan depends on beside the mesh config: proxies with equal keys share their listeners. */
  readonly key: string;
  httpFilters(chain: ChainDescription): readonly HttpFilter[];
  /** For chains of bytes. */
  networkFilters(chain: ChainDescription): readonly Filter[];
  httpAccessLogs(direction: ChainDescription['direction']): readonly TypedFilter[];
  tcpAccessLogs(direction: ChainDescription['direction']): TcpAccessLogs | undefined;
  /** Bodies and headers of answers that the plugin's HTTP filters give themselves. */
  readonly localReplies: readonly ResponseMapper[];
}
