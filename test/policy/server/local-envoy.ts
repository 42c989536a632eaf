import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { buildShiftedStatuses } from '../../../src/envoy/shifted-statuses.js';
import { CHECK_HEADER_FORMATS } from '../../../src/generators/policy/check-headers.js';
import {
  CHECK_HEADER_PREFIX,
  CHECK_HEADERS,
  JWT_METADATA_NAMESPACE,
  SHIFTED_STATUS,
} from '../../../src/policy/wire/call-metadata.js';
import { startLoopbackEnvoy } from '../../counterparts/loopback-envoy.js';

/** A real Envoy on the loopback device, whose filters ask a policy server, in front of an echo for HTTP and one for TCP. */
export interface LocalEnvoy {
  /** Listeners for HTTP, by the protocol of their checks. */
  readonly httpPorts: Readonly<Record<CheckProtocol, number>>;
  readonly tcpPort: number;
  /** Headers of the requests that came through, in order. */
  readonly received: readonly IncomingHttpHeaders[];
  stop(): Promise<void>;
}

export type CheckProtocol = 'grpc' | 'http';

export interface LocalEnvoyOptions {
  readonly binary: string;
  readonly policyPort: number;
  readonly httpConfigText: string;
  readonly tcpConfigText: string;
  readonly httpService: string;
  readonly tcpService: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What Envoy's JWT filter keeps of a verified token, for every request. */
const VERIFIED: Json = {
  'https://issuer': { iss: 'https://issuer', sub: 'jäne', groups: ['a', 'b'], exp: 12, deep: { a: [{ b: null }] } },
};

const EXTENSIONS = 'type.googleapis.com/envoy.extensions';
const address = (port: number): Json => ({ socket_address: { address: '127.0.0.1', port_value: port } });
const metadata = (fields: Readonly<Record<string, string>>): readonly Json[] =>
  Object.entries(fields).map(([key, value]) => ({ key, value }));

export async function startLocalEnvoy(options: LocalEnvoyOptions): Promise<LocalEnvoy> {
  const received: IncomingHttpHeaders[] = [];
  const http = createHttpServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.end('hello');
  });
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  const ports = { http: await listen(http), tcp: await listen(tcp) };
  const closeEchoes = (): void => {
    http.closeAllConnections();
    http.close();
    tcp.close();
  };
  const bootstrap = bootstrapOf(options, ports);
  const envoy = await startLoopbackEnvoy({ binary: options.binary, bootstrap, listeners: 3 }).catch((error) => {
    closeEchoes();
    throw error;
  });
  return {
    received,
    httpPorts: { grpc: envoy.portOf('grpc'), http: envoy.portOf('http') },
    tcpPort: envoy.portOf('tcp'),
    stop: async () => {
      await envoy.stop();
      closeEchoes();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
    });
  });
}

function bootstrapOf(options: LocalEnvoyOptions, ports: { readonly http: number; readonly tcp: number }): Json {
  const { httpService, tcpService, httpConfigText, tcpConfigText, policyPort } = options;
  const httpCluster = `inbound|${ports.http}|http|${httpService}`;
  const tcpCluster = `inbound|${ports.tcp}|tcp|${tcpService}`;
  const http2 = {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': `${EXTENSIONS}.upstreams.http.v3.HttpProtocolOptions`,
      explicit_http_config: { http2_protocol_options: {} },
    },
  };
  const cluster = (name: string, port: number, rest: Json = {}): Json => ({
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }] },
    ...rest,
  });
  const authorizer = (fields: Readonly<Record<string, string>>): Json => ({
    stat_prefix: 'policy',
    transport_api_version: 'V3',
    grpc_service: { timeout: '5s', envoy_grpc: { cluster_name: 'policy' }, initial_metadata: metadata(fields) },
  });
  const accessLog = (kind: string, type: string): Json => ({
    name: `envoy.access_loggers.${kind}`,
    typed_config: {
      '@type': `${EXTENSIONS}.access_loggers.grpc.v3.${type}`,
      common_config: {
        log_name: 'inbound',
        transport_api_version: 'V3',
        buffer_flush_interval: '0.05s',
        grpc_service: { envoy_grpc: { cluster_name: 'policy' } },
      },
    },
  });
  const listener = (name: string, filters: readonly Json[]): Json => ({
    name,
    address: address(0),
    filter_chains: [{ filters }],
  });
  const checks: Readonly<Record<CheckProtocol, Json>> = {
    grpc: {
      ...authorizer({ 'x-mesh-client-config': httpConfigText, 'x-mesh-service': httpService }),
      metadata_context_namespaces: [JWT_METADATA_NAMESPACE],
    },
    http: {
      stat_prefix: 'policy',
      transport_api_version: 'V3',
      allowed_headers: { patterns: [{ safe_regex: { regex: '.*' } }] },
      disallowed_headers: {
        patterns: [{ prefix: CHECK_HEADER_PREFIX }, { exact: 'connection' }, { exact: 'upgrade' }],
      },
      http_service: {
        server_uri: { uri: 'http://policy', cluster: 'policy_http', timeout: '5s' },
        authorization_request: {
          headers_to_add: metadata({
            [CHECK_HEADERS.config]: httpConfigText,
            [CHECK_HEADERS.service]: httpService,
            ...CHECK_HEADER_FORMATS,
          }),
        },
        authorization_response: {
          allowed_upstream_headers: { patterns: [{ exact: 'x-mesh-charge-receipt' }] },
          allowed_client_headers: {
            patterns: [{ safe_regex: { regex: '[^x].*' } }],
          },
          dynamic_metadata_from_headers: { patterns: [{ prefix: CHECK_HEADER_PREFIX }] },
        },
      },
    },
  };
  const connectionManagerOf = (protocol: CheckProtocol) => ({
    '@type': `${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'http',
    access_log: [accessLog('http_grpc', 'HttpGrpcAccessLogConfig')],
    http_filters: [
      {
        name: 'tokens',
        typed_config: {
          '@type': `${EXTENSIONS}.filters.http.set_metadata.v3.Config`,
          metadata: [{ metadata_namespace: JWT_METADATA_NAMESPACE, value: VERIFIED }],
        },
      },
      {
        name: 'policy',
        typed_config: { '@type': `${EXTENSIONS}.filters.http.ext_authz.v3.ExtAuthz`, ...checks[protocol] },
      },
      { name: 'router', typed_config: { '@type': `${EXTENSIONS}.filters.http.router.v3.Router` } },
    ],
    local_reply_config: { mappers: buildShiftedStatuses(SHIFTED_STATUS) },
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: httpCluster } }] },
      ],
    },
  });
  const tcpFilters = [
    {
      name: 'policy',
      typed_config: {
        '@type': `${EXTENSIONS}.filters.network.ext_authz.v3.ExtAuthz`,
        ...authorizer({
          'x-mesh-client-config': tcpConfigText,
          'x-mesh-service': tcpService,
          'x-mesh-connection-id': '%STREAM_ID%',
          'x-mesh-connection-time': '%START_TIME(%s.%9f)%',
        }),
      },
    },
    {
      name: 'tcp',
      typed_config: {
        '@type': `${EXTENSIONS}.filters.network.tcp_proxy.v3.TcpProxy`,
        stat_prefix: 'tcp',
        cluster: tcpCluster,
        access_log_options: { access_log_flush_interval: '1s', flush_access_log_on_connected: true },
        access_log: [accessLog('tcp_grpc', 'TcpGrpcAccessLogConfig')],
      },
    },
  ];
  return {
    node: { id: 'sidecar~127.0.0.1~echo-1.default~default.svc.cluster.local', cluster: 'echo.default' },
    admin: { address: address(0) },
    static_resources: {
      listeners: [
        ...(['grpc', 'http'] as const).map((protocol) =>
          listener(protocol, [{ name: 'http', typed_config: connectionManagerOf(protocol) }]),
        ),
        listener('tcp', tcpFilters),
      ],
      clusters: [
        cluster('policy', policyPort, { typed_extension_protocol_options: http2 }),
        cluster('policy_http', policyPort),
        cluster(httpCluster, ports.http),
        cluster(tcpCluster, ports.tcp),
      ],
    },
  };
}
