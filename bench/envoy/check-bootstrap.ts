/** JSON as Envoy's configuration takes it. */
type EnvoyJson = Readonly<Record<string, unknown>>;

export interface CheckBootstrapOptions {
  readonly adminPort: number;
  /** Listeners that differ in the check filter alone. */
  readonly ports: { readonly plain: number; readonly floor: number; readonly policy: number };
  /** The discovery server: the filter of the listener `policy` and the cluster that it calls come from there. */
  readonly discoveryPort: number;
  readonly floorPort: number;
  readonly nodeId: string;
  /** Name of the check filter at discovery (ECDS). */
  readonly filterName: string;
}

const EXTENSIONS = 'type.googleapis.com/envoy.extensions';
const EXT_AUTHZ = `${EXTENSIONS}.filters.http.ext_authz.v3.ExtAuthz`;
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const FROM_ADS: EnvoyJson = { ads: {}, resource_api_version: 'V3' };
const FLOOR_CLUSTER = 'check_floor';
const DISCOVERY_CLUSTER = 'discovery';

/**
 * One Envoy with three listeners, which answer by themselves, so that nothing behind Envoy is measured: without a check,
 * with one by the floor, and with the very filter that discovery gives a sidecar.
 */
export function buildCheckBootstrap(options: CheckBootstrapOptions): EnvoyJson {
  const { adminPort, ports, discoveryPort, floorPort, nodeId, filterName } = options;
  const floorFilter: EnvoyJson = {
    name: 'floor',
    typed_config: {
      '@type': EXT_AUTHZ,
      transport_api_version: 'V3',
      grpc_service: { envoy_grpc: { cluster_name: FLOOR_CLUSTER }, timeout: '5s' },
    },
  };
  const policyFilter: EnvoyJson = {
    name: filterName,
    config_discovery: { config_source: FROM_ADS, type_urls: [EXT_AUTHZ] },
  };
  return {
    node: { id: nodeId, cluster: 'bench' },
    admin: { address: socketAddress(adminPort) },
    dynamic_resources: {
      ads_config: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: DISCOVERY_CLUSTER } }],
      },
      cds_config: FROM_ADS,
    },
    static_resources: {
      clusters: [http2Cluster(DISCOVERY_CLUSTER, discoveryPort), http2Cluster(FLOOR_CLUSTER, floorPort)],
      listeners: [
        listener('plain', ports.plain, []),
        listener('floor', ports.floor, [floorFilter]),
        listener('policy', ports.policy, [policyFilter]),
      ],
    },
  };
}

/** Counter of the requests that the check of a listener allowed. */
export function allowedStatOf(listenerName: 'floor' | 'policy'): string {
  // The filter from discovery has a prefix for its statistics.
  return listenerName === 'policy' ? 'http.policy.ext_authz.policy.ok' : 'http.floor.ext_authz.ok';
}

function listener(name: string, port: number, checks: readonly EnvoyJson[]): EnvoyJson {
  const route: EnvoyJson = { match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: 'ok' } } };
  return {
    name,
    address: socketAddress(port),
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: {
              '@type': `${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
              stat_prefix: name,
              route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] },
              http_filters: [
                ...checks,
                {
                  name: 'envoy.filters.http.router',
                  typed_config: { '@type': `${EXTENSIONS}.filters.http.router.v3.Router` },
                },
              ],
            },
          },
        ],
      },
    ],
  };
}

function http2Cluster(name: string, port: number): EnvoyJson {
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: {
        '@type': `type.googleapis.com/${HTTP_OPTIONS}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(port) } }] }],
    },
  };
}

function socketAddress(port: number): EnvoyJson {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
