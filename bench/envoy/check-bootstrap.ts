import type { Variant } from './round-result.js';

/** JSON as Envoy's configuration takes it. */
type EnvoyJson = Readonly<Record<string, unknown>>;

export interface CheckBootstrapOptions {
  readonly adminPort: number;
  /** Listeners that differ in the check filter alone. */
  readonly ports: Readonly<Record<Variant, number>>;
  /** The discovery server: the filter of the listener `policy` and the cluster that it calls come from there. */
  readonly discoveryPort: number;
  readonly floorPorts: { readonly grpc: number; readonly http: number };
  readonly nodeId: string;
  /** Name of the check filter at discovery (ECDS). */
  readonly filterName: string;
  /** Name of the filter of fast quotas there. */
  readonly fastFilterName: string;
}

const EXTENSIONS = 'type.googleapis.com/envoy.extensions';
const EXT_AUTHZ = `${EXTENSIONS}.filters.http.ext_authz.v3.ExtAuthz`;
const RATE_LIMIT_QUOTA = `${EXTENSIONS}.filters.http.rate_limit_quota.v3.RateLimitQuotaFilterConfig`;
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const FROM_ADS: EnvoyJson = { ads: {}, resource_api_version: 'V3' };
const GRPC_FLOOR_CLUSTER = 'check_floor_grpc';
const HTTP_FLOOR_CLUSTER = 'check_floor_http';
/** As long as a check by the policy server may take. */
const CHECK_TIMEOUT = '5s';
const DISCOVERY_CLUSTER = 'discovery';

/**
 * One Envoy with five listeners, which answer by themselves, so that nothing behind Envoy is measured: without a check,
 * with one by each floor, and with the very filters that discovery gives a sidecar. All checking servers get all headers.
 */
export function buildCheckBootstrap(options: CheckBootstrapOptions): EnvoyJson {
  const { adminPort, ports, discoveryPort, floorPorts, nodeId, filterName, fastFilterName } = options;
  const grpcFloorFilter = floorFilter({
    grpc_service: { envoy_grpc: { cluster_name: GRPC_FLOOR_CLUSTER }, timeout: CHECK_TIMEOUT },
  });
  const httpFloorFilter = floorFilter({
    http_service: { server_uri: { uri: 'http://floor', cluster: HTTP_FLOOR_CLUSTER, timeout: CHECK_TIMEOUT } },
    allowed_headers: { patterns: [{ safe_regex: { regex: '.*' } }] },
  });
  const policyFilter = discoveredFilter(filterName, EXT_AUTHZ);
  const fastFilter = discoveredFilter(fastFilterName, RATE_LIMIT_QUOTA);
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
      clusters: [
        http2Cluster(DISCOVERY_CLUSTER, discoveryPort),
        http2Cluster(GRPC_FLOOR_CLUSTER, floorPorts.grpc),
        cluster(HTTP_FLOOR_CLUSTER, floorPorts.http),
      ],
      listeners: [
        listener('plain', ports.plain, []),
        listener('grpcFloor', ports.grpcFloor, [grpcFloorFilter]),
        listener('httpFloor', ports.httpFloor, [httpFloorFilter]),
        listener('policy', ports.policy, [policyFilter]),
        listener('fast', ports.fast, [fastFilter]),
      ],
    },
  };
}

/** Variants with a check. */
export type CheckedVariant = Exclude<Variant, 'plain' | 'fast'>;

/** Counter of the requests that the check of a listener allowed. */
export function allowedStatOf(variant: CheckedVariant): string {
  // The filter from discovery has a prefix for its statistics.
  return variant === 'policy' ? 'http.policy.ext_authz.policy.ok' : `http.${variant}.ext_authz.ok`;
}

function discoveredFilter(name: string, typeUrl: string): EnvoyJson {
  return { name, config_discovery: { config_source: FROM_ADS, type_urls: [typeUrl] } };
}

function floorFilter(service: EnvoyJson): EnvoyJson {
  return {
    name: 'floor',
    typed_config: {
      '@type': EXT_AUTHZ,
      transport_api_version: 'V3',
      status_on_error: { code: 'ServiceUnavailable' },
      ...service,
    },
  };
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
  return cluster(name, port, {
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: {
        '@type': `type.googleapis.com/${HTTP_OPTIONS}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
  });
}

function cluster(name: string, port: number, rest: EnvoyJson = {}): EnvoyJson {
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(port) } }] }],
    },
    ...rest,
  };
}

function socketAddress(port: number): EnvoyJson {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
