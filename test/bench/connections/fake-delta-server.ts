import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { ADS_METHODS } from '../../../bench/client/ads-stream.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const REQUEST = registry.type('envoy.service.discovery.v3.DeltaDiscoveryRequest');
const RESPONSE = 'envoy.service.discovery.v3.DeltaDiscoveryResponse';
const CLUSTERS = ['a', 'b', 'c'];

interface DecodedRequest {
  readonly node: { readonly id: string } | null;
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly resourceNamesSubscribe: readonly string[];
}

interface Named {
  readonly name: string;
  readonly message: object;
}

/** A delta ADS server of three clusters on a gRPC library, which sends one assignment in each response. */
export interface FakeDeltaServer {
  readonly address: string;
  /** What its clients are: one id for each stream. */
  readonly nodes: readonly string[];
  /** Types and nonces that were acknowledged. */
  readonly acknowledged: readonly string[];
  /** Sends all clients an assignment with this address. */
  change(address: string): void;
  stop(): void;
}

/** @param accepts streams that are served; others are ended with RESOURCE_EXHAUSTED */
export async function startFakeDeltaServer(accepts = Number.POSITIVE_INFINITY): Promise<FakeDeltaServer> {
  const nodes: string[] = [];
  const acknowledged: string[] = [];
  const streams = new Set<ServerDuplexStream<Buffer, Buffer>>();
  let nonces = 0;
  const respond = (stream: ServerDuplexStream<Buffer, Buffer>, typeUrl: string, resources: readonly Named[]) => {
    nonces += 1;
    stream.write(
      encoder.encode(RESPONSE, {
        typeUrl,
        nonce: `n${nonces}`,
        resources: resources.map(({ name, message }) => ({
          name,
          version: 'v',
          resource: encoder.packAny(typeUrl, message),
        })),
      }),
    );
  };
  const answer = (stream: ServerDuplexStream<Buffer, Buffer>, request: DecodedRequest) => {
    const { node, typeUrl, responseNonce, resourceNamesSubscribe: names } = request;
    if (node !== null) nodes.push(node.id);
    if (responseNonce !== '') acknowledged.push(`${typeUrl} ${responseNonce}`);
    else if (typeUrl === TypeUrl.cluster) {
      respond(
        stream,
        typeUrl,
        CLUSTERS.map((name) => ({ name, message: { name, type: 'EDS', edsClusterConfig: { serviceName: name } } })),
      );
    } else if (typeUrl === TypeUrl.endpoint) {
      for (const name of names) respond(stream, typeUrl, [{ name, message: { clusterName: name } }]);
    } else respond(stream, typeUrl, []);
  };
  const server = new Server();
  const identity = (bytes: Buffer) => bytes;
  const serve = (stream: ServerDuplexStream<Buffer, Buffer>) => {
    if (streams.size >= accepts) {
      stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'too many' });
      return;
    }
    streams.add(stream);
    stream.on('data', (bytes: Buffer) => {
      answer(stream, REQUEST.toObject(REQUEST.decode(bytes), DECODE) as unknown as DecodedRequest);
    });
    stream.on('error', () => streams.delete(stream));
    stream.on('cancelled', () => streams.delete(stream));
  };
  const method = {
    ...{ path: ADS_METHODS.delta, requestStream: true, responseStream: true },
    ...{ requestSerialize: identity, requestDeserialize: identity },
    ...{ responseSerialize: identity, responseDeserialize: identity },
  };
  server.addService({ stream: method }, { stream: serve });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    ...{ address: `127.0.0.1:${port}`, nodes, acknowledged },
    change: (address) => {
      const endpoint = { address: { socketAddress: { address, portValue: 80 } } };
      const assignment = { clusterName: 'a', endpoints: [{ lbEndpoints: [{ endpoint }] }] };
      for (const stream of streams) respond(stream, TypeUrl.endpoint, [{ name: 'a', message: assignment }]);
    },
    stop: () => server.forceShutdown(),
  };
}

const DECODE = { defaults: true } as const;
