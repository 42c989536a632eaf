import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { duration } from '../../envoy/durations.js';
import { PASSTHROUGH_CLUSTER } from '../../envoy/names.js';
import type { VirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import type { RouteFields } from './route-plugin.js';

/**
 * The last virtual host of a table, for hosts that are no service: `allow_any` passes them on, `block_all`
 * answers 502 (mesh config outboundTrafficPolicy; BEHAVIOUR 5, "Routes").
 *
 * @param added by plugins
 */
export function buildFallbackVirtualHost(
  { outboundTrafficPolicy }: Pick<MeshConfig, 'outboundTrafficPolicy'>,
  added: RouteFields = {},
): VirtualHost {
  if (outboundTrafficPolicy === 'REGISTRY_ONLY') {
    return {
      name: 'block_all',
      domains: ['*'],
      routes: [{ name: 'block_all', match: { prefix: '/' }, directResponse: { status: 502 }, ...added }],
    };
  }
  const route = {
    cluster: PASSTHROUGH_CLUSTER,
    timeout: duration(0),
    maxStreamDuration: { maxStreamDuration: duration(0), grpcTimeoutHeaderMax: duration(0) },
  };
  return {
    name: 'allow_any',
    domains: ['*'],
    routes: [{ name: 'allow_any', match: { prefix: '/' }, route, ...added }],
  };
}
