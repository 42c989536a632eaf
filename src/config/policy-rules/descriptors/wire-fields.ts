import protobuf from 'protobufjs';

/** One field of an encoded message: a number, or the bytes of a text or message. */
export type WireField =
  | { readonly number: number; readonly type: 'varint'; readonly value: number }
  | { readonly number: number; readonly type: 'bytes'; readonly value: Uint8Array };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Reads the fields of a message whose descriptor is known by heart. Numbers of fixed length are left out; varints have
 * their lowest 32 bits.
 *
 * @throws Error for bytes that are no message
 */
export function* wireFields(bytes: Uint8Array): Iterable<WireField> {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const number = tag >>> 3;
    switch (tag & 7) {
      case VARINT:
        yield { number, type: 'varint', value: reader.int32() };
        break;
      case BYTES:
        yield { number, type: 'bytes', value: reader.bytes() };
        break;
      case FIXED64:
        reader.skip(8);
        break;
      case FIXED32:
        reader.skip(4);
        break;
      default:
        // Groups could nest without end, and no message of today has them.
        throw new Error(`wire type ${tag & 7} is unknown`);
    }
  }
}

/** UTF-8 as a text. */
export function wireText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
