import protobuf from 'protobufjs';
import { WireReader } from './wire-reader.js';

/** Tags (field number and wire type 2) of envoy.service.discovery.v3.DiscoveryRequest, in Envoy's order. */
const TAG = { versionInfo: 0x0a, node: 0x12, resourceNames: 0x1a, typeUrl: 0x22, responseNonce: 0x2a } as const;
const TYPE_URL_FIELD = 4;

export interface DiscoveryRequest {
  readonly typeUrl: string;
  /** Encoded Node; on a stream's first request only, as Envoy does with set_node_on_first_message_only. */
  readonly node?: Buffer;
  /** Version of the last accepted response; empty before the first. */
  readonly versionInfo: string;
  /** Nonce of the last response; empty before the first. */
  readonly responseNonce: string;
  /** The field resource_names as encodeResourceNames() wrote it; empty for a wildcard subscription. */
  readonly resourceNames: Buffer;
}

/** The repeated field resource_names: encoded once per list, for a sidecar repeats it in every request. */
export function encodeResourceNames(names: readonly string[]): Buffer {
  const writer = protobuf.Writer.create();
  for (const name of names) writer.uint32(TAG.resourceNames).string(name);
  return Buffer.from(writer.finish());
}

/** One request in Envoy's field order. */
export function encodeDiscoveryRequest(request: DiscoveryRequest): Buffer {
  const head = protobuf.Writer.create();
  if (request.versionInfo !== '') head.uint32(TAG.versionInfo).string(request.versionInfo);
  if (request.node !== undefined) head.uint32(TAG.node).bytes(request.node);
  const tail = protobuf.Writer.create().uint32(TAG.typeUrl).string(request.typeUrl);
  if (request.responseNonce !== '') tail.uint32(TAG.responseNonce).string(request.responseNonce);
  return Buffer.concat([head.finish(), request.resourceNames, tail.finish()]);
}

/** Type URL of an encoded request, skipping everything else; empty when it has none. */
export function readRequestType(message: Buffer): string {
  const reader = new WireReader(message);
  while (reader.next()) if (reader.field === TYPE_URL_FIELD) return reader.text();
  return '';
}
