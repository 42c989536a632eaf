import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/clock.js';
import type { RenderTurns } from './render-turns.js';

/** Maximum time that a page uses the event loop without a pause. */
const SLICE_MS = 5;
const CHUNK_CHARS = 64 * 1024;

/**
 * Joins small pieces into chunks, in slices of 5 ms, so that pushes to proxies and probes continue while a large page is
 * rendered. Makes a chunk only after the reader has taken the previous one.
 */
export async function* chunkPieces(
  pieces: Iterable<string>,
  clock: Clock,
  turns: Pick<RenderTurns, 'next'>,
): AsyncGenerator<string, void> {
  let chunk = '';
  await turns.next();
  let sliceStart = clock.monotonicMs();
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length >= CHUNK_CHARS) {
      yield chunk;
      chunk = '';
    } else if (clock.monotonicMs() - sliceStart < SLICE_MS) {
      continue;
    }
    await turns.next();
    sliceStart = clock.monotonicMs();
  }
  yield chunk;
}

/**
 * Streams the rest of a document at the speed of the reader. If the reader disconnects, the stream ends without an error.
 *
 * @throws the error of producing a piece. The destination is destroyed then, so that the reader can distinguish an
 * incomplete document from a complete one.
 */
export async function streamChunks(
  first: string,
  rest: AsyncGenerator<string, void>,
  destination: Writable,
): Promise<void> {
  async function* all(): AsyncGenerator<string, void> {
    yield first;
    yield* rest;
  }
  try {
    await pipeline(Readable.from(all(), { highWaterMark: 1 }), destination);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
