import type { Clock } from '../../base/clock.js';
import { createClientQueues } from './client-queues.js';

/** One step of a connection: answers a query. Whether the connection has another step to do. */
export type ConnectionStep = () => boolean;

/** Lets connections answer in steps, between other work of the process. */
export interface ConnectionTurns {
  /** @param step called until it returns false. A step that already waits is not added again */
  add(client: string, step: ConnectionStep): void;
  /** Counts bytes of answers that a client has not read. @param change negative when it has read them */
  countUnread(client: string, change: number): void;
}

/** Time for answers of a turn of the event loop: an answer can have 64 KiB, and thousands of connections can wait for one. */
const TURN_MS = 4;
/**
 * Unread bytes of a client, beyond which its connections get no further answers. Each turn of the event loop writes to all
 * connections with unread answers, before it reads queries.
 */
const MAX_CLIENT_UNREAD_BYTES = 256 << 10;

export function createConnectionTurns(clock: Clock): ConnectionTurns {
  const queues = createClientQueues<{ readonly client: string; readonly step: ConnectionStep }>();
  const waiting = new Set<ConnectionStep>();
  const unread = new Map<string, number>();
  let isTurnDue = false;

  const takeTurn = (): void => {
    isTurnDue = false;
    const endMs = clock.monotonicMs() + TURN_MS;
    let blocked = 0;
    while (blocked < queues.clients) {
      if (clock.monotonicMs() >= endMs) {
        schedule();
        return;
      }
      const entry = queues.next();
      if (entry === undefined) return;
      const isBlocked = (unread.get(entry.client) ?? 0) > MAX_CLIENT_UNREAD_BYTES;
      blocked = isBlocked ? blocked + 1 : 0;
      if (isBlocked || entry.step()) queues.push(entry.client, entry);
      else waiting.delete(entry.step);
    }
  };
  const schedule = (): void => {
    if (isTurnDue || waiting.size === 0) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  };

  return {
    add: (client, step) => {
      if (waiting.has(step)) return;
      waiting.add(step);
      queues.push(client, { client, step });
      schedule();
    },
    countUnread: (client, change) => {
      const bytes = (unread.get(client) ?? 0) + change;
      if (bytes > 0) unread.set(client, bytes);
      else unread.delete(client);
      if (change < 0) schedule();
    },
  };
}
