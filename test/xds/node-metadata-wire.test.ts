import test from 'ava';
import protobuf from 'protobufjs';
import { MetadataSizeError, readNodeMetadata } from '../../src/xds/node-wire.js';

/** `{ <key>: <text> }` as google.protobuf.Struct. */
function textField(key: string, text: string): Uint8Array {
  const writer = protobuf.Writer.create().uint32(0x0a).fork().uint32(0x0a).string(key);
  return writer.uint32(0x12).fork().uint32(0x1a).string(text).ldelim().ldelim().finish();
}

test('metadata with too many values is not read to its end', (t) => {
  const fields = (count: number) =>
    Buffer.concat(Array.from({ length: count }, (_, index) => textField(`${index}`, 'x')));
  t.is(Object.keys(readNodeMetadata(fields(4_096))).length, 4_096);
  t.throws(() => readNodeMetadata(fields(4_097)), { instanceOf: MetadataSizeError });
});

test('a key with the name of the prototype is an ordinary key', (t) => {
  const metadata = readNodeMetadata(textField('__proto__', 'x'));
  t.true(Object.hasOwn(metadata, '__proto__'));
  t.is(Object.getPrototypeOf(metadata), Object.prototype);
});
