import { Agent, request } from 'node:http';
import { encodeExtensionConfig } from '../../../../src/envoy/extension-config.js';
import type { PackedAny } from '../../../../src/envoy/message-encoder.js';
import { createFastFilters } from '../../../../src/generators/policy/fast/fast-filters.js';
import type { BucketKind } from '../../../../src/model/policy/fast/bucket-kinds.js';
import { startLoopbackEnvoy } from '../../../counterparts/loopback-envoy.js';
import { at, ENCODER, toJson } from '../../../generators/served-resources.js';

/** A real Envoy that answers every request itself, behind the filters of fast quotas. */
export interface FastEnvoy {
  get(headers?: Readonly<Record<string, string>>): Promise<FastAnswer>;
  stop(): Promise<void>;
}

export interface FastAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface FastEnvoyOptions {
  readonly binary: string;
  readonly policyPort: number;
  readonly service: string;
  readonly kinds: readonly BucketKind[];
  /** Whether requests are refused when no policy server answers. */
  readonly failsClosed?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const EXTENSIONS = 'type.googleapis.com/envoy.extensions';
const CLUSTER = 'policy_server';

export async function startFastEnvoy(options: FastEnvoyOptions): Promise<FastEnvoy> {
  const envoy = await startLoopbackEnvoy({ binary: options.binary, bootstrap: bootstrapOf(options), listeners: 1 });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    get: (headers = {}) => get(envoy.portOf('http'), agent, headers),
    stop: async () => {
      agent.destroy();
      await envoy.stop();
    },
  };
}

function get(port: number, agent: Agent, headers: Readonly<Record<string, string>>): Promise<FastAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

function bootstrapOf({ policyPort, service, kinds, failsClosed = false }: FastEnvoyOptions): Json {
  const filters = createFastFilters(ENCODER);
  const filter = (name: string, config: PackedAny): Json => ({
    name,
    typed_config: at(toJson(encodeExtensionConfig(ENCODER, name, config)), 'typedConfig'),
  });
  const manager = {
    '@type': `${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'http',
    http_filters: [
      ...(failsClosed ? [filter('guard', filters.guard(CLUSTER, service))] : []),
      filter('fast', filters.quotas(CLUSTER, service, kinds)),
      { name: 'router', typed_config: { '@type': `${EXTENSIONS}.filters.http.router.v3.Router` } },
    ],
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] },
      ],
    },
  };
  const address = (port: number): Json => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  return {
    node: { id: 'sidecar~127.0.0.1~web-1.default~default.svc.cluster.local', cluster: 'web.default' },
    admin: { address: address(0) },
    static_resources: {
      listeners: [
        { name: 'http', address: address(0), filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }] },
      ],
      clusters: [
        {
          name: CLUSTER,
          type: 'STATIC',
          connect_timeout: '5s',
          load_assignment: {
            cluster_name: CLUSTER,
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(policyPort) } }] }],
          },
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': `${EXTENSIONS}.upstreams.http.v3.HttpProtocolOptions`,
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
        },
      ],
    },
  };
}
