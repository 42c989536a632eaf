import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { RouteConfiguration } from '../../../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { VirtualHost } from '../../../model/traffic/http-route.js';
import type { RouteClusters } from '../../destination-names.js';
import { buildHttpRoute } from '../../routes/http/http-route.js';

/** The route table that comes with an inbound chain: one virtual host for all requests. */
export function buildInboundRoutes(
  encoder: MessageEncoder,
  name: string,
  host: VirtualHost,
  clusters: RouteClusters,
): RouteConfiguration {
  const routes = host.routes.map((route) => buildHttpRoute(encoder, route, clusters));
  return {
    name,
    validateClusters: { value: false },
    virtualHosts: [{ name: host.name, domains: ['*'], routes }],
  };
}
