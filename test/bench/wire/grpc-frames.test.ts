import test from 'ava';
import { FrameReader, frameMessage } from '../../../bench/wire/grpc-frames.js';

const MESSAGES = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(7_000, 'x'), Buffer.from('four')];
const STREAM = Buffer.concat(MESSAGES.map(frameMessage));

for (const size of [1, 4, 5, 7, 1000, STREAM.length]) {
  test(`messages are found in chunks of ${size} bytes`, (t) => {
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (let offset = 0; offset < STREAM.length; offset += size) {
      reader.read(STREAM.subarray(offset, offset + size), (message) => found.push(Buffer.from(message)));
    }
    t.deepEqual(found, MESSAGES);
  });
}
