import test from 'ava';
import protobuf from 'protobufjs';
import { readNode } from '../../src/xds/node-wire.js';
import { createProxyReader } from '../../src/xds/proxy-reader.js';
import { StreamError } from '../../src/xds/stream-error.js';
import fc from '../support/property-testing.js';

const readProxy = createProxyReader(readNode, 'mesh.internal', 524_288);

const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.from(
    protobuf.Writer.create()
      .uint32((number << 3) | 2)
      .bytes(bytes)
      .finish(),
  );
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
const ID = text(1, 'sidecar~10.244.0.5~web-1.shop~shop.svc.cluster.local');

/** `{ LABELS: { LABELS: … } }`, so many levels deep, as google.protobuf.Struct. */
function nestedStruct(depth: number): Buffer {
  let struct: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level++) {
    struct = field(1, Buffer.concat([text(1, 'LABELS'), field(2, field(5, struct))]));
  }
  return struct;
}

/** Whatever it is: a proxy, or a reason that ends the one stream. */
function isAnswered(bytes: Uint8Array): boolean {
  try {
    return readProxy(bytes).ipAddresses.length > 0;
  } catch (error) {
    if (error instanceof StreamError) return error.message.length < 5000;
    throw error;
  }
}

test('a node with endlessly nested metadata ends its stream only', (t) => {
  t.true(isAnswered(Buffer.concat([ID, field(3, nestedStruct(50))])));
  t.true(isAnswered(Buffer.concat([ID, field(3, nestedStruct(2_000))])));
});

test('any bytes of a node are a proxy, or an error that ends one stream', (t) => {
  const parts = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.uint8Array({ maxLength: 60 }))
      .map(([number, bytes]) => field(number, bytes)),
    fc.constant(ID),
    fc.string().map((value) => text(1, value)),
    fc.integer({ min: 0, max: 200 }).map((depth) => field(3, nestedStruct(depth))),
  );
  let count = 0;
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (pieces) => {
      count++;
      return isAnswered(Buffer.concat(pieces));
    }),
    { numRuns: 10_000 },
  );
  t.true(count >= 10_000);
});
