import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../telemetry/clock.js';

/** How long one dump may hold the event loop before everybody else gets a turn. */
const SLICE_MS = 5;
const CHUNK_CHARS = 64 * 1024;

/**
 * Joins small pieces into chunks, and gives way to other work in between: pushes to proxies go on while
 * somebody reads a large dump.
 */
export async function* chunkPieces(pieces: Iterable<string>, clock: Clock): AsyncGenerator<string, void> {
  let chunk = '';
  let sliceStart = clock.monotonicMs();
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length >= CHUNK_CHARS) {
      yield chunk;
      chunk = '';
    }
    if (clock.monotonicMs() - sliceStart < SLICE_MS) continue;
    await nextTurn();
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
