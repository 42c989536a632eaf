import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import type { ConnectionRoute } from '../../model/traffic/connection-route.js';
import type { VirtualHost } from '../../model/traffic/http-route.js';

/** A virtual host of a gateway, and the hosts that it is for. */
export interface RoutedHosts {
  /** In lower case; the first label may be `*`, and `*` alone is every host. Each host is in one virtual host only. */
  readonly hosts: readonly string[];
  readonly virtualHost: VirtualHost;
}

/** What virtual services make of the servers of a router. The same object for as long as nothing changes. */
export interface GatewayRouting {
  /** Equal keys have equal routes for equal servers; empty without any. */
  readonly key: string;
  virtualHostsOf(server: GatewayServer): readonly RoutedHosts[];
  /** In order of precedence. Encrypted connections are routed by server name, others by addresses. */
  connectionsOf(server: GatewayServer): readonly ConnectionRoute[];
}
