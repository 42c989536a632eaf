import type { ServerResponse } from 'node:http';

/** Sends bytes that many answers share, and bounds how many of them slow readers keep in memory. */
export interface SharedBytes {
  send(response: ServerResponse, bytes: Uint8Array): void;
}

/** Renderings of one page that are being read at once; with one a second, a reader has about this many seconds. */
const MAX_HELD = 8;

/**
 * Of more than eight different bodies that are still being read, the oldest is given up and its readers are cut off:
 * else a client that reads a byte now and then keeps each of them.
 */
export function createSharedBytes(onCutOff: (response: ServerResponse) => void): SharedBytes {
  // In the order in which they were first sent.
  const readers = new Map<Uint8Array, Set<ServerResponse>>();
  const giveUpOldest = (): void => {
    const [oldest] = readers;
    if (oldest === undefined) return;
    readers.delete(oldest[0]);
    for (const response of oldest[1]) {
      onCutOff(response);
      response.destroy();
    }
  };
  return {
    send: (response, bytes) => {
      const of = readers.get(bytes) ?? new Set();
      readers.set(bytes, of.add(response));
      if (readers.size > MAX_HELD) giveUpOldest();
      response.once('close', () => {
        of.delete(response);
        if (of.size === 0) readers.delete(bytes);
      });
      response.end(bytes);
    },
  };
}
