import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';

/**
 * Adds HTTP filters before the ones that every connection manager has (`--plugins`). Plugins run in the order
 * they are listed, and each adds its filters in that order (BEHAVIOUR 5, "Protocol").
 */
export interface HttpFilterPlugin {
  /** As `--plugins` names it. */
  readonly name: string;
  httpFilters(direction: 'inbound' | 'outbound'): readonly HttpFilter[];
}
