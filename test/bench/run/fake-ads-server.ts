import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { ADS_METHODS } from '../../../bench/client/ads-stream.js';
import { type MeshService, serviceHost } from '../../../bench/mesh/mesh-shape.js';
import { createMessageEncoder, type MessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry, type ProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';

const REQUEST = 'envoy.service.discovery.v3.DiscoveryRequest';
const RESPONSE = 'envoy.service.discovery.v3.DiscoveryResponse';
const HTTP_CONNECTION_MANAGER =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ADS = { ads: {}, resourceApiVersion: 'V3' };

interface Watch {
  nonce: string;
  names: string;
}

interface FakeStream {
  readonly call: ServerDuplexStream<Buffer, Buffer>;
  readonly watches: Map<string, Watch>;
}

/** Requests as the fake decoded them, for assertions. */
export interface DecodedRequest {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly responseNonce: string;
  readonly resourceNames: readonly string[];
  readonly node?: { readonly id: string; readonly metadata?: object };
}

/** A small ADS server written with the full protobuf library, so that it checks the bench's own wire code. */
export interface FakeAdsServer {
  readonly address: string;
  readonly requests: readonly DecodedRequest[];
  /** How many HTTP/2 connections there have been. */
  connections(): number;
  /** Replaces a service and sends all clients the changed resources, types in push order. */
  change(service: MeshService): void;
  stop(): void;
}

/** Starts the fake on loopback. `answers` false makes it read requests and never answer. */
export async function startFakeAdsServer(
  initial: readonly MeshService[],
  { answers = true }: { readonly answers?: boolean } = {},
): Promise<FakeAdsServer> {
  const registry = loadProtoRegistry();
  const encoder = createMessageEncoder(registry);
  let services = initial;
  let counter = 0;
  const streams = new Set<FakeStream>();
  const requests: DecodedRequest[] = [];

  const respond = (stream: FakeStream, typeUrl: string) => {
    const watch = stream.watches.get(typeUrl);
    if (watch === undefined) return;
    counter += 1;
    // A fixed width: all clients get messages of equal size.
    const version = String(counter).padStart(6, '0');
    watch.nonce = `nonce-${version}`;
    const names = new Set(watch.names === '' ? [] : watch.names.split(','));
    const resources = buildResources(typeUrl, services, encoder)
      .filter(({ name }) => names.size === 0 || names.has(name))
      .map(({ value }) => ({ type_url: typeUrl, value }));
    stream.call.write(encoder.encode(RESPONSE, { versionInfo: version, typeUrl, nonce: watch.nonce, resources }));
  };

  const peers = new Set<string>();
  const serve = (call: ServerDuplexStream<Buffer, Buffer>) => {
    const stream: FakeStream = { call, watches: new Map() };
    streams.add(stream);
    peers.add(call.getPeer());
    call.on('data', (bytes: Buffer) => {
      const request = decodeRequest(registry, bytes);
      requests.push(request);
      const names = request.resourceNames.join(',');
      const watch = stream.watches.get(request.typeUrl);
      if (watch !== undefined && (watch.nonce !== request.responseNonce || watch.names === names)) return;
      stream.watches.set(request.typeUrl, { nonce: watch?.nonce ?? '', names });
      if (answers) respond(stream, request.typeUrl);
    });
    call.on('end', () => call.end());
    call.on('error', () => streams.delete(stream));
    call.on('cancelled', () => streams.delete(stream));
  };

  const server = new Server();
  const identity = (bytes: Buffer) => bytes;
  server.addService(
    {
      stream: {
        path: ADS_METHODS.sotw,
        requestStream: true,
        responseStream: true,
        requestSerialize: identity,
        requestDeserialize: identity,
        responseSerialize: identity,
        responseDeserialize: identity,
      },
    },
    { stream: serve },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });

  return {
    address: `127.0.0.1:${port}`,
    requests,
    connections: () => peers.size,
    change: (service) => {
      const before = services.find(({ name }) => name === service.name);
      services = services.map((candidate) => (candidate.name === service.name ? service : candidate));
      const portsChanged = before?.ports.length !== service.ports.length;
      const types = portsChanged ? [TypeUrl.cluster, TypeUrl.route] : [TypeUrl.endpoint];
      for (const stream of streams) for (const typeUrl of types) respond(stream, typeUrl);
    },
    stop: () => server.forceShutdown(),
  };
}

function decodeRequest(registry: ProtoRegistry, bytes: Buffer): DecodedRequest {
  const type = registry.type(REQUEST);
  return type.toObject(type.decode(bytes), { defaults: false, arrays: true, ...STRING_DEFAULTS }) as DecodedRequest;
}

const STRING_DEFAULTS: protobuf.IConversionOptions = { defaults: true };

function buildResources(typeUrl: string, services: readonly MeshService[], encoder: MessageEncoder) {
  return buildMessages(typeUrl, services, encoder).map(({ name, message }) => ({
    name,
    value: encoder.encode(typeUrl, message),
  }));
}

interface NamedMessage {
  readonly name: string;
  readonly message: object;
}

function buildMessages(
  typeUrl: string,
  services: readonly MeshService[],
  encoder: MessageEncoder,
): readonly NamedMessage[] {
  const ports = services.flatMap((service) =>
    service.ports.map((port) => ({ service, port, cluster: `outbound|${port.port}||${serviceHost(service)}` })),
  );
  switch (typeUrl) {
    case TypeUrl.cluster:
      return [
        { name: 'BlackHoleCluster', message: { name: 'BlackHoleCluster', type: 'STATIC' } },
        ...ports.map(({ cluster: name }) => ({
          name,
          message: { name, type: 'EDS', edsClusterConfig: { edsConfig: ADS, serviceName: name } },
        })),
      ];
    case TypeUrl.endpoint:
      return ports.map(({ service, port, cluster: name }) => ({
        name,
        message: {
          clusterName: name,
          endpoints: [{ lbEndpoints: service.endpoints.map(({ address }) => buildEndpoint(address, port.targetPort)) }],
        },
      }));
    case TypeUrl.listener:
      return [{ name: '0.0.0.0_80', message: buildListener(encoder) }];
    default:
      return [
        {
          name: '80',
          message: {
            name: '80',
            virtualHosts: ports
              .filter(({ port }) => port.port === 80)
              .map(({ service }) => ({ name: `${serviceHost(service)}:80`, domains: [serviceHost(service)] })),
          },
        },
      ];
  }
}

function buildEndpoint(address: string, portValue: number): object {
  return { endpoint: { address: { socketAddress: { address, portValue } } } };
}

function buildListener(encoder: MessageEncoder): object {
  return {
    name: '0.0.0.0_80',
    filterChains: [
      {
        filters: [
          {
            name: 'http',
            typedConfig: encoder.packAny(HTTP_CONNECTION_MANAGER, {
              statPrefix: 'outbound',
              rds: { configSource: ADS, routeConfigName: '80' },
            }),
          },
        ],
      },
    ],
  };
}
