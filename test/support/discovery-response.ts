import protobuf from 'protobufjs';

/** A DiscoveryResponse as a client reads it. */
export interface DiscoveryResponse {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  /** The value of each Any, in order. */
  readonly resources: readonly Buffer[];
}

/** Decodes a DiscoveryResponse, state of the world. */
export function readDiscoveryResponse(bytes: Uint8Array): DiscoveryResponse {
  const reader = protobuf.Reader.create(bytes);
  let [typeUrl, version, nonce] = ['', '', ''];
  const resources: Buffer[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) version = reader.string();
    else if (tag === 0x22) typeUrl = reader.string();
    else if (tag === 0x2a) nonce = reader.string();
    else if (tag === 0x12) {
      const any = protobuf.Reader.create(reader.bytes());
      any.uint32();
      any.string();
      any.uint32();
      resources.push(Buffer.from(any.bytes()));
    } else reader.skipType(tag & 7);
  }
  return { typeUrl, version, nonce, resources };
}

/** The name of a cluster, assignment, listener or route table: field 1. */
export function nameOfResource(resource: Uint8Array): string {
  const reader = protobuf.Reader.create(resource);
  reader.uint32();
  return reader.string();
}
