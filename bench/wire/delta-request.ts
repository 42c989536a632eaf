import protobuf from 'protobufjs';
import { WireReader } from './wire-reader.js';

/** Tags (field number and wire type 2) of envoy.service.discovery.v3.DeltaDiscoveryRequest. */
const TAG = { node: 0x0a, typeUrl: 0x12, subscribe: 0x1a, unsubscribe: 0x22, nonce: 0x32 } as const;
const TYPE_URL_FIELD = 2;

export interface DeltaRequest {
  readonly typeUrl: string;
  /** Encoded Node; on a stream's first request only. */
  readonly node?: Buffer;
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  /** Of the response that it acknowledges. */
  readonly nonce?: string;
}

export function encodeDeltaRequest(request: DeltaRequest): Buffer {
  const writer = protobuf.Writer.create();
  if (request.node !== undefined) writer.uint32(TAG.node).bytes(request.node);
  writer.uint32(TAG.typeUrl).string(request.typeUrl);
  for (const name of request.subscribe ?? []) writer.uint32(TAG.subscribe).string(name);
  for (const name of request.unsubscribe ?? []) writer.uint32(TAG.unsubscribe).string(name);
  if (request.nonce !== undefined) writer.uint32(TAG.nonce).string(request.nonce);
  return Buffer.from(writer.finish());
}

/** Type URL of an encoded request; empty when it has none. */
export function readDeltaRequestType(message: Buffer): string {
  const reader = new WireReader(message);
  while (reader.next()) if (reader.field === TYPE_URL_FIELD) return reader.text();
  return '';
}
