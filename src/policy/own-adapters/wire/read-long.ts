import protobuf from 'protobufjs';

const VARINT = 0;
const CONTINUES = 0x80;
const BITS = 0x7f;
const MAX_VARINT_BYTES = 10;

/** The number of a field, exact to 64 bits; 0 if the message lacks it. @throws Error for bytes that are no message */
export function readLong(bytes: Uint8Array, number: number): bigint {
  const reader = protobuf.Reader.create(bytes);
  let found = 0n;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const start = reader.pos;
    reader.skipType(tag & 7);
    if (tag >>> 3 === number && (tag & 7) === VARINT) found = varint(bytes.subarray(start, reader.pos));
  }
  return found;
}

function varint(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const [index, byte] of bytes.subarray(0, MAX_VARINT_BYTES).entries()) {
    value |= BigInt(byte & BITS) << BigInt(7 * index);
    if ((byte & CONTINUES) === 0) break;
  }
  return BigInt.asIntN(64, value);
}
