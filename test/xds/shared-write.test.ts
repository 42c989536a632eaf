import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import test from 'ava';
import { createFramePieces, createWireMessage, type WireMessage } from '../../src/envoy/wire-message.js';
import { http2StreamOf } from '../../src/net/http2-stream-of.js';
import { type RawCall, serializeMessage, writeShared } from '../../src/xds/shared-write.js';

const same = (bytes: Buffer): Buffer => bytes;

/** Serves one bidirectional method and gives what its first call got. */
async function callServer(handle: (call: RawCall) => void): Promise<Buffer[]> {
  const server = new Server();
  const definition = {
    path: '/test.Service/Method',
    requestStream: true,
    responseStream: true,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: serializeMessage,
    responseDeserialize: same,
  };
  server.addService({ method: definition }, { method: handle });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(definition.path, same, same);
  const received: Buffer[] = [];
  try {
    await new Promise((resolve, reject) => {
      call.on('data', (message: Buffer) => received.push(message));
      call.on('error', reject);
      call.on('end', resolve);
    });
  } finally {
    client.close();
    server.forceShutdown();
  }
  return received;
}

const message = (...pieces: string[]): WireMessage => createWireMessage(pieces.map((piece) => Buffer.from(piece)));

const frames = createFramePieces();

test('the HTTP/2 stream of a call of this version of grpc-js is found', async (t) => {
  let found = false;
  await callServer((call) => {
    found = http2StreamOf(call) !== undefined;
    call.end();
  });
  t.true(found);
});

test('messages written in pieces arrive whole, in order, and before the status', async (t) => {
  const large = Buffer.alloc(3 << 20, 'x');
  const received = await callServer((call) => {
    const stream = http2StreamOf(call);
    if (stream === undefined) throw new Error('no HTTP/2 stream');
    writeShared(call, stream, frames.of(message('a', 'bc', 'd')), () => undefined);
    writeShared(
      call,
      stream,
      frames.of(createWireMessage([Buffer.from('<'), large, Buffer.from('>')])),
      () => undefined,
    );
    writeShared(call, stream, frames.of(message('end')), () => call.end());
  });
  t.deepEqual(
    received.map((bytes) => bytes.length),
    [4, large.length + 2, 3],
  );
  t.is(received[0]?.toString(), 'abcd');
  t.true(received[1]?.subarray(1, -1).equals(large));
});

test('messages that go through grpc-js are the same', async (t) => {
  const received = await callServer((call) => {
    call.write(message('a', 'bc', 'd'));
    call.end();
  });
  t.deepEqual(received.map(String), ['abcd']);
});
