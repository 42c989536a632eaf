import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { encodeExtensionConfig } from '../../../../src/envoy/extension-config.js';
import { buildHttpExtAuthz } from '../../../../src/envoy/http-ext-authz.js';
import type { PackedAny } from '../../../../src/envoy/message-encoder.js';
import type { WireCheckRequest } from '../../../../src/policy/server/adapter/envoy-messages.js';
import { createEnvoyCodec } from '../../../../src/policy/server/envoy-codec.js';
import { startManagedProcess } from '../../../counterparts/managed-process.js';
import { envoyBytes, envoyProtos } from '../../../policy/server/policy-server-rig.js';
import type { TestAuthority, TestCertificate } from '../../../support/certificate-issuer.js';
import { eventually } from '../../../support/eventually.js';
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
  const directory = await mkdtemp(join(tmpdir(), 'principal-envoy-'));
  const adminFile = join(directory, 'admin');
  const program = startManagedProcess({
    name: 'Envoy',
    command: [
      ...[binary, '--config-yaml', JSON.stringify(bootstrapOf(authority, filter, checkPort))],
      ...['--admin-address-path', adminFile, '--concurrency', '1', '--log-level', 'error', '--disable-hot-restart'],
    ],
  });
  const stop = async (): Promise<void> => {
    await program.stop();
    server.forceShutdown();
    await rm(directory, { recursive: true, force: true });
  };
  let ports: ReadonlyMap<string, number> = new Map();
  try {
    await eventually('Envoy listens', async () => {
      ports = await listenersOf(adminFile);
      return ports.size === 2;
    });
  } catch (cause) {
    const said = program.tail();
    await stop();
    throw new Error(`Envoy does not start: ${said}`, { cause });
  }
  return {
    stop,
    ask: async (client, path) => {
      const status = await statusOf(client, ports.get(client === undefined ? 'plain' : 'tls') ?? 0, path);
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

interface ListenersAnswer {
  readonly listener_statuses?: readonly {
    readonly name: string;
    readonly local_address: { readonly socket_address: { readonly port_value: number } };
  }[];
}

async function listenersOf(adminFile: string): Promise<ReadonlyMap<string, number>> {
  try {
    const admin = (await readFile(adminFile, 'utf8')).trim();
    if ((await fetch(`http://${admin}/ready`)).status !== 200) return new Map();
    const answer = (await (await fetch(`http://${admin}/listeners?format=json`)).json()) as ListenersAnswer;
    const statuses = answer.listener_statuses ?? [];
    return new Map(statuses.map(({ name, local_address }) => [name, local_address.socket_address.port_value]));
  } catch {
    return new Map();
  }
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
