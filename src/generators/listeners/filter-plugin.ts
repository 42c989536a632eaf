import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { TypedFilter } from '../../envoy/typed-filter.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { ResponseMapper } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';

/** A filter chain as a plugin sees it. */
export interface ChainDescription {
  readonly direction: 'inbound' | 'outbound';
  /** The cluster of the one service that the chain is for; undefined where routes decide, or no service has it. */
  readonly serviceCluster: string | undefined;
}

/** What a variant may depend on beside the proxy. */
export type VariantContext = Pick<PushContext, 'mesh' | 'services' | 'shadowedByHost'>;

/** Access logs of connections. */
export interface TcpAccessLogs {
  readonly logs: readonly TypedFilter[];
  /** They tell of a connection when it begins, then each time after this, and when it ends. */
  readonly intervalMs: number;
}

/**
 * What a networking plugin adds to listeners (`--plugins`): filters before the ones that every chain has, and access
 * logs. Plugins run in the order they are listed, and each adds its filters in that order (BEHAVIOUR 5, "Protocol").
 */
export interface FilterPlugin {
  /** As `--plugins` names it. */
  readonly name: string;
  /**
   * All that the plugin reads of a proxy and of the services, as a text: proxies with equal ones share their listeners,
   * and what differs between these has to be asked for by the filter's name.
   */
  variantOf(context: VariantContext, proxy: Proxy): string;
  httpFilters(mesh: MeshConfig, chain: ChainDescription, variant: string): readonly HttpFilter[];
  /** For chains of bytes. */
  networkFilters(mesh: MeshConfig, chain: ChainDescription, variant: string): readonly Filter[];
  httpAccessLogs(mesh: MeshConfig, direction: ChainDescription['direction']): readonly TypedFilter[];
  /** Bodies and headers of answers that the plugin's HTTP filters give themselves. */
  localReplies?(mesh: MeshConfig): readonly ResponseMapper[];
  tcpAccessLogs(mesh: MeshConfig, direction: ChainDescription['direction']): TcpAccessLogs | undefined;
}
