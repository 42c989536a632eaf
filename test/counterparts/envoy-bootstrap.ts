import { isIP } from 'node:net';

/** JSON as Envoy's config takes it. */
export type EnvoyJson = Readonly<Record<string, unknown>>;

export const ENVOY_ADMIN_PORT = 15000;

export interface ProxyNodeOptions {
  /** Workload name, for example `web-1`. */
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  /** Default `sidecar`. */
  readonly type?: 'sidecar' | 'router';
  /** Default `cluster.local`. */
  readonly domain?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Default `default`. */
  readonly serviceAccount?: string;
  /** `region/zone/subzone`. */
  readonly locality?: string;
  /** Further node metadata. */
  readonly metadata?: EnvoyJson;
}

export interface AdsAddress {
  /** IP address, or a name that is resolved again and again. */
  readonly address: string;
  readonly port: number;
}

/** The node message (docs/reference/xds.md#node). */
export function buildNode(options: ProxyNodeOptions): EnvoyJson {
  const { name, namespace, address, type = 'sidecar', domain = 'cluster.local' } = options;
  const [region = '', zone = '', subZone = ''] = (options.locality ?? '').split('/');
  return {
    id: `${type}~${address}~${name}.${namespace}~${namespace}.svc.${domain}`,
    cluster: `${name}.${namespace}`,
    ...(options.locality === undefined ? {} : { locality: { region, zone, sub_zone: subZone } }),
    metadata: {
      NAMESPACE: namespace,
      INSTANCE_IPS: address,
      INTERCEPTION_MODE: 'REDIRECT',
      SERVICE_ACCOUNT: options.serviceAccount ?? 'default',
      LABELS: options.labels ?? {},
      CLUSTER_ID: 'Orchestrator',
      MESH_VERSION: 'counterparts',
      ...options.metadata,
    },
  };
}

/** Credentials of a sidecar for the control plane, and the roots that it trusts. PEM. */
export interface AdsCredentials {
  readonly certificate: string;
  readonly key: string;
  readonly roots: string;
  /** DNS name in the control plane's certificate. */
  readonly serverName: string;
}

function adminOf(): EnvoyJson {
  return { address: { socket_address: { address: '127.0.0.1', port_value: ENVOY_ADMIN_PORT } } };
}

const HTTP2_WITH_KEEPALIVE: EnvoyJson = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: {
      http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '5s' } },
    },
  },
};

/**
 * How a sidecar speaks xDS: state of the world, delta, delta with a stream for listeners alone (and one for load reports), or polls over REST. Over
 * gRPC, clusters and their endpoints are always aggregated (docs/reference/xds.md#delta).
 */
export type XdsVariant = 'stateOfTheWorld' | 'delta' | 'deltaPerType' | 'rest';

/**
 * A sidecar's bootstrap: everything over one ADS stream to the control plane, as an injected sidecar has it.
 * @param dnsAddress resolver for STRICT_DNS clusters; default: the machine's, which a namespace cannot reach.
 * @param credentials for mutual TLS with the control plane; default: plaintext
 * @param variant default: state of the world
 * @param others further instances of the control plane
 */
export function buildAdsBootstrap(
  node: EnvoyJson,
  ads: AdsAddress,
  dnsAddress?: string,
  credentials?: AdsCredentials,
  variant: XdsVariant = 'stateOfTheWorld',
  others: readonly AdsAddress[] = [],
): EnvoyJson {
  if (variant === 'rest') return buildRestBootstrap(node, ads.address, dnsAddress);
  const waitsForEver = { resource_api_version: 'V3', initial_fetch_timeout: '0s' };
  const fromAds = { ads: {}, ...waitsForEver };
  const listeners = variant === 'deltaPerType' ? { api_config_source: apiSource(variant), ...waitsForEver } : fromAds;
  const endpoints = [ads, ...others].map(({ address, port }) => ({
    endpoint: { address: { socket_address: { address, port_value: port } } },
  }));
  return {
    node,
    admin: adminOf(),
    dynamic_resources: {
      ads_config: apiSource(variant),
      cds_config: fromAds,
      lds_config: listeners,
    },
    static_resources: {
      clusters: [
        {
          name: 'xds-grpc',
          type: isIP(ads.address) === 0 ? 'STRICT_DNS' : 'STATIC',
          connect_timeout: '1s',
          typed_extension_protocol_options: HTTP2_WITH_KEEPALIVE,
          load_assignment: {
            cluster_name: 'xds-grpc',
            endpoints: [{ lb_endpoints: endpoints }],
          },
          ...(credentials === undefined ? {} : { transport_socket: mutualTls(credentials) }),
        },
      ],
    },
    ...(variant === 'deltaPerType'
      ? { cluster_manager: { load_stats_config: { ...apiSource(variant), api_type: 'GRPC' } } }
      : {}),
    ...(dnsAddress === undefined ? {} : { typed_dns_resolver_config: dnsResolver(dnsAddress) }),
  };
}

const HTTP_PORT = 8080;

/** A sidecar's bootstrap: everything by polls of the control plane's HTTP port (docs/reference/xds.md#rest). */
function buildRestBootstrap(node: EnvoyJson, address: string, dnsAddress?: string): EnvoyJson {
  const source = {
    api_config_source: {
      api_type: 'REST',
      transport_api_version: 'V3',
      cluster_names: ['xds-rest'],
      refresh_delay: '0.25s',
      request_timeout: '40s',
    },
    resource_api_version: 'V3',
    initial_fetch_timeout: '0s',
  };
  const endpoint = { address: { socket_address: { address, port_value: HTTP_PORT } } };
  return {
    node,
    admin: adminOf(),
    dynamic_resources: { cds_config: source, lds_config: source },
    static_resources: {
      clusters: [
        {
          name: 'xds-rest',
          type: 'STATIC',
          connect_timeout: '1s',
          load_assignment: { cluster_name: 'xds-rest', endpoints: [{ lb_endpoints: [{ endpoint }] }] },
        },
      ],
    },
    ...(dnsAddress === undefined ? {} : { typed_dns_resolver_config: dnsResolver(dnsAddress) }),
  };
}

function apiSource(variant: XdsVariant): EnvoyJson {
  return {
    api_type: variant === 'stateOfTheWorld' ? 'GRPC' : 'DELTA_GRPC',
    transport_api_version: 'V3',
    set_node_on_first_message_only: true,
    grpc_services: [
      {
        envoy_grpc: {
          cluster_name: 'xds-grpc',
          // A restarted server is found again soon; the default waits up to 30 s.
          retry_policy: { retry_back_off: { base_interval: '0.1s', max_interval: '1s' } },
        },
      },
    ],
  };
}

function mutualTls({ certificate, key, roots, serverName }: AdsCredentials): EnvoyJson {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni: serverName,
      common_tls_context: {
        alpn_protocols: ['h2'],
        tls_certificates: [{ certificate_chain: { inline_string: certificate }, private_key: { inline_string: key } }],
        validation_context: {
          trusted_ca: { inline_string: roots },
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: serverName } }],
        },
      },
    },
  };
}

function dnsResolver(address: string): EnvoyJson {
  return {
    name: 'envoy.network.dns_resolver.cares',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig',
      resolvers: [{ socket_address: { protocol: 'UDP', address, port_value: 53 } }],
      dns_resolver_options: { use_tcp_for_dns_lookups: false, no_default_search_domain: true },
    },
  };
}

/** A bootstrap without any control plane: the resources in place, listeners also from a file when one is named. */
export function buildStaticBootstrap(
  node: EnvoyJson,
  resources: { readonly clusters: readonly EnvoyJson[]; readonly listeners: readonly EnvoyJson[] },
  listenersFile?: string,
): EnvoyJson {
  return {
    node,
    admin: adminOf(),
    static_resources: resources,
    ...(listenersFile === undefined
      ? {}
      : {
          dynamic_resources: {
            lds_config: { path_config_source: { path: listenersFile }, resource_api_version: 'V3' },
          },
        }),
  };
}
