import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import protobuf from 'protobufjs';
import { encodeNode } from '../../../../bench/wire/node-message.js';
import { TypeUrl } from '../../../../src/envoy/type-urls.js';
import { nameOfResource, readDiscoveryResponse } from '../../../support/discovery-response.js';
import { discoveryRequest } from '../../../xds/session-rig.js';
import type { AttackTarget } from '../attack.js';
import type { ProbeUser } from '../probe.js';
import { grpcFrame, onGrpcMessage, openGrpcCall, openHttp2 } from '../raw-http2.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

export interface SidecarCredentials {
  readonly certificate: string;
  readonly key: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** A connected sidecar whose workload calls one service after the other: it asks for their endpoints by turns. */
export function createAdsUser(
  target: AttackTarget,
  credentials: SidecarCredentials,
  clusters: readonly [string, string],
): ProbeUser {
  let connection: Connection | undefined;
  let turn = 0;
  return {
    name: 'ADS client',
    act: async () => {
      if (connection === undefined || connection.isClosed()) {
        connection?.close();
        connection = connect(target, credentials, '127.0.0.5');
      }
      await connection.ask(TypeUrl.endpoint, clusters[turn++ % 2] as string);
    },
    close: () => connection?.close(),
  };
}

/** A sidecar that starts: a new connection, and its clusters. */
export function createNewcomer(target: AttackTarget, credentials: SidecarCredentials, cluster: string): ProbeUser {
  return {
    name: 'new ADS client',
    act: async () => {
      const connection = connect(target, credentials, '127.0.0.6');
      try {
        await connection.ask(TypeUrl.cluster, cluster);
      } finally {
        connection.close();
      }
    },
    close: () => undefined,
  };
}

interface Connection {
  /** Asks for a type; resolves when a response has the resource. */
  ask(typeUrl: string, name: string): Promise<void>;
  isClosed(): boolean;
  close(): void;
}

function connect(target: AttackTarget, credentials: SidecarCredentials, from: string): Connection {
  const session: ClientHttp2Session = openHttp2({
    host: target.host,
    port: target.ports.secureGrpc,
    from,
    tls: { ca: target.root, servername: target.serverName, cert: credentials.certificate, key: credentials.key },
  });
  const stream: ClientHttp2Stream = openGrpcCall(session, ADS);
  const { namespace, serviceAccount } = credentials;
  const node = encodeNode({
    id: `sidecar~${from}~${serviceAccount}-0.${namespace}~${namespace}.svc.cluster.local`,
    cluster: `${serviceAccount}.${namespace}`,
    metadata: { NAMESPACE: namespace, SERVICE_ACCOUNT: serviceAccount },
  });
  let isFirst = true;
  let status = '';
  let waiting: { typeUrl: string; name: string; resolve(): void; reject(error: Error): void } | undefined;
  let nonce = '';
  let version = '';
  const send = (typeUrl: string, name: string): void => {
    const names = typeUrl === TypeUrl.endpoint ? [name] : [];
    const request = discoveryRequest({ typeUrl, names, nonce, version });
    const first = protobuf.Writer.create().uint32(0x12).bytes(node).finish();
    stream.write(grpcFrame(isFirst ? Buffer.concat([first, request]) : request));
    isFirst = false;
  };
  const readStatus = (fields: Readonly<Record<string, unknown>>): void => {
    if (fields['grpc-status'] !== undefined) status = `${fields['grpc-status']} ${fields['grpc-message'] ?? ''}`;
  };
  stream.on('response', readStatus);
  stream.on('trailers', readStatus);
  stream.on('close', () => waiting?.reject(new Error(`the stream ended: ${status || 'without a status'}`)));
  session.on('close', () => waiting?.reject(new Error('the connection was closed')));
  onGrpcMessage(stream, (message) => {
    const response = readDiscoveryResponse(message);
    nonce = response.nonce;
    version = response.version;
    if (waiting === undefined || response.typeUrl !== waiting.typeUrl) return;
    if (response.resources.some((resource) => nameOfResource(resource) === waiting?.name)) {
      const { resolve } = waiting;
      waiting = undefined;
      resolve();
    } else {
      // A push came first; the request that crossed it was for a nonce of the past.
      send(waiting.typeUrl, waiting.name);
    }
  });
  return {
    ask: (typeUrl, name) =>
      new Promise((resolve, reject) => {
        waiting = { typeUrl, name, resolve, reject };
        send(typeUrl, name);
      }),
    isClosed: () => stream.closed || stream.destroyed || session.destroyed,
    close: () => {
      waiting = undefined;
      session.destroy();
    },
  };
}
