/** Type URLs of the messages that patches change, by the name that EnvoyFilters have for them. */
export const PATCHED_MESSAGES = {
  LISTENER: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  FILTER_CHAIN: 'type.googleapis.com/envoy.config.listener.v3.FilterChain',
  NETWORK_FILTER: 'type.googleapis.com/envoy.config.listener.v3.Filter',
  HTTP_FILTER: 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter',
  ROUTE_CONFIGURATION: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  VIRTUAL_HOST: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  HTTP_ROUTE: 'type.googleapis.com/envoy.config.route.v3.Route',
  CLUSTER: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
} as const;
