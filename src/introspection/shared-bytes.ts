import type { ServerResponse } from 'node:http';

/** Sends bytes that several responses share. Limits the memory that slow readers keep. */
export interface SharedBytes {
  send(response: ServerResponse, bytes: Uint8Array): void;
}

/** Maximum renderings of one page in memory. At one rendering per second, a reader has about this many seconds. */
const MAX_HELD = 8;

/**
 * Keeps at most eight different bodies for slow readers. Beyond that, the connections that read the oldest body are closed.
 * Otherwise a client that reads a byte now and then would keep every body in memory.
 */
export function createSharedBytes(onCutOff: (response: ServerResponse) => void): SharedBytes {
  // In the order of their first response.
  const readers = new Map<Uint8Array, Set<ServerResponse>>();
  const closeOldest = (): void => {
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
      if (readers.size > MAX_HELD) closeOldest();
      response.once('close', () => {
        of.delete(response);
        if (of.size === 0) readers.delete(bytes);
      });
      response.end(bytes);
    },
  };
}
