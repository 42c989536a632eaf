import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { encodeExtensionConfig } from '../../../../src/envoy/extension-config.js';
import { buildHttpExtAuthz } from '../../../../src/envoy/http-ext-authz.js';
import type { PackedAny } from '../../../../src/envoy/message-encoder.js';
import type { WireCheckRequest } from '../../../../src/policy/server/adapter/envoy-messages.js';
import { createEnvoyCodec } from '../../../../src/policy/server/envoy-codec.js';
import { startLoopbackEnvoy } from '../../../counterparts/loopback-envoy.js';
import { envoyBytes, envoyProtos } from '../../../policy/server/policy-server-rig.js';
import type { TestAuthority, TestCertificate } from '../../../support/certificate-issuer.js';
import { at, ENCODER, toJson } from '../../served-resources.js';

/** A real Envoy that sends a check for each request, then applies a filter, then answers the request itself. */
export interface PrincipalEnvoy {
  /** @param client undefined: over plain text; no certificate: over TLS without one */
  ask(client: Partial<TestCertificate> | undefined, path: string): Promise<AskedRequest>;
  stop(): Promise<void>;
}

export interface AskedRequest {
  readonly status: number;
  /** The check that Envoy sent for it. */
  readonly check: WireCheckRequest;
}

type Json = Readonly<Record<string, unknown>>;

const EXTENSIONS = 'type.googleapis.com/envoy.extensions';
const LOOPBACK = '127.0.0.1';

export async function startPrincipalEnvoy(
  binary: string,
  authority: TestAuthority,
  filter: PackedAny,
): Promise<PrincipalEnvoy> {
  const checks: WireCheckRequest[] = [];
  const server = createCheckServer((check) => checks.push(check));
  const checkPort = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${LOOPBACK}:0`, ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
  const bootstrap = bootstrapOf(authority, filter, checkPort);
  const envoy = await startLoopbackEnvoy({ binary, bootstrap, listeners: 2 }).catch((error) => {
    server.forceShutdown();
    throw error;
  });
  return {
    stop: async () => {
      await envoy.stop();
      server.forceShutdown();
    },
    ask: async (client, path) => {
      const status = await statusOf(client, envoy.portOf(client === undefined ? 'plain' : 'tls'), path);
      const check = checks.pop();
      if (check === undefined) throw new Error(`no check for ${path}`);
      return { status, check };
    },
  };
}

function createCheckServer(onCheck: (check: WireCheckRequest) => void): Server {
  const server = new Server();
  const codec = createEnvoyCodec(envoyProtos);
  const allowed = envoyBytes('envoy.service.auth.v3.CheckResponse', { status: { code: 0 } });
  const method = {
    ...{ path: '/envoy.service.auth.v3.Authorization/Check', requestStream: false, responseStream: false },
    ...{ requestSerialize: Buffer.from, requestDeserialize: (bytes: Buffer) => bytes },
    ...{ responseSerialize: (bytes: Buffer) => bytes, responseDeserialize: (bytes: Buffer) => bytes },
  };
  server.addService(
    { Check: method },
    {
      Check: ({ request }: { request: Buffer }, answer: (error: null, bytes: Buffer) => void) => {
        onCheck(codec.decodeCheckRequest(request));
        answer(null, allowed);
      },
    },
  );
  return server;
}

function statusOf(client: Partial<TestCertificate> | undefined, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: LOOPBACK, port, path, agent: false } as const;
    const call =
      client === undefined
        ? requestPlainly(options)
        : requestSecurely({ ...options, cert: client.certificate, key: client.key, rejectUnauthorized: false });
    call.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end();
  });
}

function bootstrapOf(authority: TestAuthority, filter: PackedAny, checkPort: number): Json {
  const address = (port: number): Json => ({ socket_address: { address: LOOPBACK, port_value: port } });
  const filterJson = (name: string, config: PackedAny): Json => ({
    name,
    typed_config: at(toJson(encodeExtensionConfig(ENCODER, name, config)), 'typedConfig'),
  });
  const check = buildHttpExtAuthz(ENCODER, {
    statPrefix: 'check',
    server: { protocol: 'grpc', service: { cluster: 'check', timeoutMs: 5000 } },
    allowsOnFailure: false,
    metadataNamespaces: [],
  });
  const manager = {
    '@type': `${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'http',
    http_filters: [
      filterJson('check', check),
      filterJson('filter', filter),
      { name: 'router', typed_config: { '@type': `${EXTENSIONS}.filters.http.router.v3.Router` } },
    ],
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] },
      ],
    },
  };
  const { certificate, key } = authority.issue({ uris: ['spiffe://mesh/ns/shop/sa/books'] });
  const tls = {
    name: 'tls',
    typed_config: {
      '@type': `${EXTENSIONS}.transport_sockets.tls.v3.DownstreamTlsContext`,
      common_tls_context: {
        tls_certificates: [{ certificate_chain: { inline_string: certificate }, private_key: { inline_string: key } }],
        validation_context: { trusted_ca: { inline_string: authority.certificate } },
      },
    },
  };
  const listener = (name: string, transport: Json): Json => ({
    name,
    address: address(0),
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }], ...transport }],
  });
  return {
    node: { id: 'sidecar~127.0.0.1~books-1.shop~shop.svc.cluster.local', cluster: 'books.shop' },
    admin: { address: address(0) },
    static_resources: {
      listeners: [listener('tls', { transport_socket: tls }), listener('plain', {})],
      clusters: [
        {
          name: 'check',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'check',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(checkPort) } }] }],
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
