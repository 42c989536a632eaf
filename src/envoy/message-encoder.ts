import { hash } from 'node:crypto';
import protobuf from 'protobufjs';
import type { EncodedResource } from './encoded-resource.js';
import type { ProtoRegistry } from './proto-registry.js';

/** A `google.protobuf.Any` as the generated types take it. */
export interface PackedAny {
  readonly type_url: string;
  readonly value: Buffer;
}

/** Encodes plain typed objects as protobuf. The only place that serialises messages for proxies. */
export interface MessageEncoder {
  /** Bytes of a message given as a plain object of the generated type. */
  encode(typeUrl: string, message: object): Buffer;
  /** An `Any`, for filter configs, transport sockets and other extension points. */
  packAny(typeUrl: string, message: object): PackedAny;
  /** Encodes one resource, once for all streams. */
  encodeResource(typeUrl: string, name: string, message: object): EncodedResource;
  /**
   * Encodes a message of two parts, which have different fields. `common` is encoded once for as long as the object lives.
   */
  encodeWithCommon(typeUrl: string, message: object, common: object): Buffer;
  /**
   * encodeResource at a third of the cost, for a message that needs no conversion: enums are numbers, bytes are Buffers,
   * 64-bit integers are numbers. Other values are encoded wrongly, without an error.
   */
  encodeExactResource(typeUrl: string, name: string, message: object): EncodedResource;
}

export function createMessageEncoder(registry: ProtoRegistry): MessageEncoder {
  const encode = (typeUrl: string, message: object): Buffer => {
    const type = registry.type(typeUrl);
    return type.encode(type.fromObject(message as Record<string, unknown>)).finish() as Buffer;
  };
  const encodedCommon = new WeakMap<object, Buffer>();
  const encodeCommon = (typeUrl: string, common: object): Buffer => {
    const known = encodedCommon.get(common);
    if (known !== undefined) return known;
    const encoded = encode(typeUrl, common);
    encodedCommon.set(common, encoded);
    return encoded;
  };
  return {
    encode,
    encodeWithCommon: (typeUrl, message, common) => {
      const own = encode(typeUrl, message);
      const rest = encodeCommon(typeUrl, common);
      // Outside of Node's pool: resources that stay in it would keep the memory of these short-lived bytes.
      const joined = Buffer.allocUnsafeSlow(own.length + rest.length);
      own.copy(joined);
      rest.copy(joined, own.length);
      return joined;
    },
    packAny: (typeUrl, message) => ({ type_url: typeUrl, value: encode(typeUrl, message) }),
    encodeResource: (typeUrl, name, message) => frameResource(typeUrl, name, encode(typeUrl, message)),
    encodeExactResource: (typeUrl, name, message) =>
      frameResource(
        typeUrl,
        name,
        registry
          .type(typeUrl)
          .encode(message as Record<string, unknown>)
          .finish(),
      ),
  };
}

/** Frames the bytes of a message as the resource entry of a discovery response (see EncodedResource). */
export function frameResource(typeUrl: string, name: string, message: Uint8Array): EncodedResource {
  const entry = protobuf.Writer.create()
    .uint32(0x12)
    .fork()
    .uint32(0x0a)
    .string(typeUrl)
    .uint32(0x12)
    .bytes(message)
    .ldelim()
    .finish() as Buffer;
  return { name, version: contentVersion(message), entry };
}

const NAMED_RESOURCE = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

/**
 * The same for a message without its own name, unlike Envoy's messages. An `envoy.service.discovery.v3.Resource` with
 * the name wraps the message.
 */
export function frameNamedResource(typeUrl: string, name: string, message: Uint8Array): EncodedResource {
  // `Resource.resource` has the number of `DiscoveryResponse.resources`, and `Resource.name` is 3.
  const { entry } = frameResource(typeUrl, name, message);
  const nameField = frameField(3, Buffer.from(name));
  const wrapped = frameResource(NAMED_RESOURCE, name, Buffer.concat([entry, nameField]));
  // The wrapper ends with the entry and the name.
  const end = wrapped.entry.length - nameField.length;
  return { ...wrapped, bareEntry: wrapped.entry.subarray(end - entry.length, end) };
}

/**
 * Frames message bytes as a length-delimited field. Repeated fields concatenate, so a large message can be composed of
 * encoded parts.
 */
export function frameField(fieldNumber: number, message: Uint8Array): Buffer {
  return protobuf.Writer.create()
    .uint32((fieldNumber << 3) | 2)
    .bytes(message)
    .finish() as Buffer;
}

/** 96 bits of SHA-256 in base64url: 16 characters. */
export function contentVersion(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url').slice(0, 16);
}
