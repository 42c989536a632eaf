import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/clock.js';
import type { RenderTurns } from './render-turns.js';

/** How long one dump may hold the event loop before everybody else gets a turn. */
const SLICE_MS = 5;
const CHUNK_CHARS = 64 * 1024;

/**
 * Joins small pieces into chunks, in slices of 5 ms, each in its turn: pushes to proxies and probes go on while a
 * large dump is read. A chunk is made when its reader has taken the one before.
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
 * Streams the rest of a document, no faster than the reader takes it. A reader who goes away ends it quietly.
 *
 * @throws whatever producing a piece throws; the destination is destroyed then, so that its reader can tell
 * a broken document from a complete one.
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
