import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import protobuf from 'protobufjs';
import type { AttackTarget } from './attack.js';
import { grpcFrame, openGrpcCall, openHttp2 } from './raw-http2.js';

export const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** The listener that an attacker uses: the plaintext one, or the secured one with the certificate of its tenant. */
export type Listener = 'plaintext' | 'secured';

/** The loopback address of attackers: no legitimate user comes from it. */
const ATTACKER_ADDRESS = '127.0.0.66';

export function connectTo(target: AttackTarget, listener: Listener): ClientHttp2Session {
  const { host, ports, root, serverName, credentials } = target;
  if (listener === 'plaintext') return openHttp2({ host, port: ports.grpc, from: ATTACKER_ADDRESS });
  const tls = { ca: root, servername: serverName, cert: credentials.certificate, key: credentials.key };
  return openHttp2({ host, port: ports.secureGrpc, from: ATTACKER_ADDRESS, tls });
}

/** A node id in the attackers' namespace. */
export function nodeId(pod: string): string {
  return `sidecar~10.66.0.1~${pod}.attackers~attackers.svc.cluster.local`;
}

export interface AttackRequest {
  readonly node?: string;
  /** Text values of the node's metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly typeUrl: string;
  readonly names?: Iterable<string>;
  readonly nonce?: string;
  readonly error?: string;
}

/** A DiscoveryRequest in a gRPC frame. */
export function requestFrame({ node, metadata = {}, typeUrl, names = [], nonce, error }: AttackRequest): Buffer {
  const writer = protobuf.Writer.create();
  if (node !== undefined) writer.uint32(0x12).bytes(encodeNode(node, metadata));
  for (const name of names) writer.uint32(0x1a).string(name);
  writer.uint32(0x22).string(typeUrl);
  if (nonce !== undefined) writer.uint32(0x2a).string(nonce);
  if (error !== undefined) writer.uint32(0x32).fork().uint32(0x08).int32(13).uint32(0x12).string(error).ldelim();
  return grpcFrame(writer.finish());
}

function encodeNode(id: string, metadata: Readonly<Record<string, string>>): Uint8Array {
  const writer = protobuf.Writer.create().uint32(0x0a).string(id).uint32(0x1a).fork();
  for (const [key, value] of Object.entries(metadata)) {
    writer.uint32(0x0a).fork().uint32(0x0a).string(key);
    writer.uint32(0x12).fork().uint32(0x1a).string(value).ldelim().ldelim();
  }
  return writer.ldelim().finish();
}

/** The nonce of a DiscoveryResponse. */
export function nonceOf(response: Buffer): string {
  const reader = protobuf.Reader.create(response);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x2a) return reader.string();
    reader.skipType(tag & 7);
  }
  return '';
}

/** Counts how calls ended, for the line that an attack returns. */
export class Endings {
  readonly #counts = new Map<string, number>();

  watch(call: ClientHttp2Stream): ClientHttp2Stream {
    const note = (headers: Readonly<Record<string, unknown>>): void => {
      const status = headers['grpc-status'];
      if (status === undefined) return;
      const setting = /NAV_XDS_\w+/.exec(String(headers['grpc-message'] ?? ''))?.[0] ?? '';
      const key = `status ${status} ${setting}`.trim();
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    };
    call.on('response', note);
    call.on('trailers', note);
    return call;
  }

  toString(): string {
    return [...this.#counts].map(([key, count]) => `${count} with ${key}`).join(', ') || 'none was ended';
  }
}

export function openAds(session: ClientHttp2Session, endings: Endings): ClientHttp2Stream {
  return endings.watch(openGrpcCall(session, ADS));
}
