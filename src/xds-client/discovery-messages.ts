import protobuf from 'protobufjs';

/** One resource of a response: its name and the bytes of its message. */
export interface NamedResource {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface DiscoveryResponse {
  readonly version: string;
  readonly typeUrl: string;
  readonly nonce: string;
  /** Packed as google.protobuf.Any, for `unpackResource`. */
  readonly resources: readonly Buffer[];
}

export interface DiscoveryRequest {
  readonly typeUrl: string;
  /** The version in force; empty before the first response. */
  readonly version: string;
  /** Names of the resources; empty for all resources of the type. */
  readonly names?: readonly string[];
  /** Nonce of the answered response; empty in the first request of a stream. */
  readonly nonce: string;
  /** Encoded node, in the first request of a stream. */
  readonly node?: Buffer;
  /** Reason of a rejection. */
  readonly error?: string;
}

/** Has the name of a resource whose message has none. */
const WRAPPER_TYPE_URL = 'type.googleapis.com/envoy.service.discovery.v3.Resource';
/** google.rpc.Code INVALID_ARGUMENT, the code of Envoy's rejections. */
const INVALID_ARGUMENT = 3;

/** Encodes a request of a state-of-the-world subscription. */
export function encodeDiscoveryRequest(request: DiscoveryRequest): Buffer {
  const { typeUrl, version, names = [], nonce, node, error } = request;
  const writer = protobuf.Writer.create();
  if (version !== '') writer.uint32(0x0a).string(version);
  if (node !== undefined) writer.uint32(0x12).bytes(node);
  for (const name of names) writer.uint32(0x1a).string(name);
  writer.uint32(0x22).string(typeUrl);
  if (nonce !== '') writer.uint32(0x2a).string(nonce);
  if (error !== undefined) {
    writer.uint32(0x32).fork().uint32(0x08).int32(INVALID_ARGUMENT).uint32(0x12).string(error).ldelim();
  }
  return Buffer.from(writer.finish());
}

/** Encodes the node of the client, an envoy.config.core.v3.Node. */
export function encodeNode(
  id: string,
  cluster: string,
  userAgent: string,
  metadata: Readonly<Record<string, string>> = {},
): Buffer {
  const writer = protobuf.Writer.create().uint32(0x0a).string(id).uint32(0x12).string(cluster);
  // A google.protobuf.Struct: its map of fields, each with a Value.
  const struct = writer.uint32(0x1a).fork();
  for (const [key, value] of Object.entries(metadata)) {
    struct
      .uint32(0x0a)
      .fork()
      .uint32(0x0a)
      .string(key)
      .uint32(0x12)
      .fork()
      .uint32(0x1a)
      .string(value)
      .ldelim()
      .ldelim();
  }
  struct.ldelim();
  return Buffer.from(writer.uint32(0x32).string(userAgent).finish());
}

/** @throws Error if the bytes are not a DiscoveryResponse */
export function decodeDiscoveryResponse(bytes: Buffer): DiscoveryResponse {
  const reader = protobuf.Reader.create(bytes);
  let [version, typeUrl, nonce] = ['', '', ''];
  const packed: Buffer[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) version = reader.string();
    else if (tag === 0x12) packed.push(reader.bytes() as Buffer);
    else if (tag === 0x22) typeUrl = reader.string();
    else if (tag === 0x2a) nonce = reader.string();
    else reader.skipType(tag & 7);
  }
  return { version, typeUrl, nonce, resources: packed };
}

/**
 * Unpacks a resource from the message that has its name.
 *
 * @throws Error if it has no name, or is of another type
 */
export function unpackResource(packed: Buffer, typeUrl: string): NamedResource {
  const outer = readAny(packed);
  if (outer.typeUrl !== WRAPPER_TYPE_URL) throw new Error(`a resource of type ${outer.typeUrl} has no name: wrap it`);
  const { name, any } = readWrapper(outer.value);
  if (name === '') throw new Error('a resource has an empty name');
  if (any.typeUrl !== typeUrl) throw new Error(`${JSON.stringify(name)} is of type ${any.typeUrl}`);
  return { name, bytes: any.value };
}

interface PackedMessage {
  readonly typeUrl: string;
  readonly value: Buffer;
}

/** google.protobuf.Any. */
export function readAny(bytes: Buffer): PackedMessage {
  const reader = protobuf.Reader.create(bytes);
  let typeUrl = '';
  let value: Buffer = Buffer.alloc(0);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) typeUrl = reader.string();
    else if (tag === 0x12) value = reader.bytes() as Buffer;
    else reader.skipType(tag & 7);
  }
  return { typeUrl, value };
}

/** envoy.service.discovery.v3.Resource. */
function readWrapper(bytes: Buffer): { readonly name: string; readonly any: PackedMessage } {
  const reader = protobuf.Reader.create(bytes);
  let name = '';
  let any: PackedMessage = { typeUrl: '', value: Buffer.alloc(0) };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x1a) name = reader.string();
    else if (tag === 0x12) any = readAny(reader.bytes() as Buffer);
    else reader.skipType(tag & 7);
  }
  return { name, any };
}
