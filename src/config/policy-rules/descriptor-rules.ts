import type { Violation } from '../violation.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Tag of the first field of a FileDescriptorSet, its files (google/protobuf/descriptor.proto). */
const FILE = 0x0a;

/** Whether a text can be a FileDescriptorSet in base64. Build tools wrap lines. */
export function* descriptorViolations(path: string, value: string | undefined): Iterable<Violation> {
  if (value === undefined || value === '') return;
  const text = value.replace(/\s/g, '');
  const isBase64 = text.length % 4 === 0 && BASE64.test(text);
  // Four characters hold the first byte.
  if (isBase64 && Buffer.from(text.slice(0, 4), 'base64')[0] === FILE) return;
  yield {
    path,
    value,
    message: isBase64 ? 'is not a FileDescriptorSet' : 'is not base64',
    remedy: 'use the output of protoc --include_imports --descriptor_set_out, in base64',
  };
}
