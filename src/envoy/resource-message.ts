import protobuf from 'protobufjs';
import type { EncodedResource } from './encoded-resource.js';

/** The bytes of the message in the Any of a resource. */
export function resourceMessage({ entry }: EncodedResource): Uint8Array {
  const reader = protobuf.Reader.create(entry);
  reader.uint32();
  reader.uint32();
  reader.uint32();
  reader.skipType(2);
  if (reader.pos >= reader.len) return new Uint8Array();
  reader.uint32();
  return reader.bytes();
}
