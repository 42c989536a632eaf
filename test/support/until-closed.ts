import type { EventEmitter } from 'node:events';

/**
 * Waits until an open connection is closed. One that its other end resets is closed too: an end resets a connection when it
 * has not read everything, so that an error comes first now and then.
 */
export function untilClosed(connection: EventEmitter): Promise<void> {
  connection.on('error', () => undefined);
  return new Promise((resolve) => connection.once('close', () => resolve()));
}
