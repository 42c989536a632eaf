import type { ServerHttp2Stream } from 'node:http2';
import { status } from '@grpc/grpc-js';
import type { SocketClock } from '../pending-handshakes.js';
import type { ConnectionGuard } from './connection-guard.js';
import type { GrpcLimitName, GrpcLimits } from './grpc-limits.js';
import type { GuardedSession } from './guarded-session.js';
import { GuardedStream } from './guarded-stream.js';
import { type BudgetHolder, SharedBudget } from './shared-budget.js';

/** The incomplete messages of all peers. */
export interface IncompleteMessages {
  /** @param maxMessageBytes limit of one message. @param headerBytes metadata of the stream */
  follow(
    stream: ServerHttp2Stream,
    session: GuardedSession,
    maxMessageBytes: number,
    headerBytes: number,
    connections: Pick<ConnectionGuard, 'proven' | 'abandoned'>,
  ): GuardedStream;
}

type Reached = (session: GuardedSession, limit: GrpcLimitName, value: number) => string;

/** Interval between two searches for messages that exceeded their time. */
const LOOK_MS = 1000;
/** A stream that holds more is counted at once. */
const FRESH_BYTES = 64 * 1024;

/** The bytes of one stream in both budgets. */
class Holding implements BudgetHolder {
  readonly group: string;
  /** Bytes that the budgets count; 0 for none. */
  bytes = 0;
  sinceMs = 0;
  /** Whether the stream arrived in this turn of the event loop. */
  isFresh = true;
  freshBytes = 0;
  guarded: GuardedStream | undefined;
  readonly session: GuardedSession;
  readonly ofConnection: BudgetHolder & { readonly of: Holding };

  constructor(session: GuardedSession) {
    this.session = session;
    this.group = session.group;
    this.ofConnection = { group: session.peer, of: this };
  }
}

/** Enforces the limits of bytes in total, per address and per connection, and the time limit of each message. */
export function createIncompleteMessages(limits: GrpcLimits, clock: SocketClock, reached: Reached): IncompleteMessages {
  // In the order in which their messages began.
  const holdings = new Set<Holding>();
  let isLooking = false;

  const refuse = (holding: Holding, limit: GrpcLimitName, value: number, code = status.RESOURCE_EXHAUSTED): void => {
    release(holding);
    holding.guarded?.refuse(code, reached(holding.session, limit, value));
  };
  const byAddress = new SharedBudget<Holding>(
    { max: limits.grpcMaxIncompleteBytes, maxPerGroup: limits.grpcMaxIncompleteBytesPerAddress },
    (holding, over) => {
      if (over === 'all') refuse(holding, 'incomplete_bytes', limits.grpcMaxIncompleteBytes);
      else refuse(holding, 'incomplete_bytes_per_address', limits.grpcMaxIncompleteBytesPerAddress);
    },
  );
  const byConnection = new SharedBudget<Holding['ofConnection']>(
    { max: Number.POSITIVE_INFINITY, maxPerGroup: limits.grpcMaxIncompleteBytesPerConnection },
    ({ of }) => refuse(of, 'incomplete_bytes_per_connection', limits.grpcMaxIncompleteBytesPerConnection),
  );
  const release = (holding: Holding): void => {
    if (holding.bytes === 0) return;
    holding.bytes = 0;
    holdings.delete(holding);
    byAddress.set(holding, 0);
    byConnection.set(holding.ofConnection, 0);
  };

  const look = (): void => {
    const beforeMs = clock.monotonicMs() - limits.grpcMessageTimeoutMs;
    for (const holding of holdings) {
      if (holding.sinceMs > beforeMs) break;
      if (holding.guarded?.isIncomplete !== true) continue;
      refuse(holding, 'message_timeout', limits.grpcMessageTimeoutMs, status.DEADLINE_EXCEEDED);
    }
    isLooking = holdings.size > 0;
    if (isLooking) clock.schedule(LOOK_MS, look);
  };
  const hold = (holding: Holding, bytes: number, isNew: boolean): void => {
    if (bytes === 0 || isNew) release(holding);
    if (bytes === holding.bytes) return;
    if (holding.bytes === 0) {
      holding.sinceMs = clock.monotonicMs();
      holdings.add(holding);
      if (!isLooking) {
        isLooking = true;
        clock.schedule(LOOK_MS, look);
      }
    }
    holding.bytes = bytes;
    byConnection.set(holding.ofConnection, bytes);
    // The budget of the connection may have evicted the stream.
    if (holding.bytes > 0) byAddress.set(holding, bytes);
  };

  // Most messages arrive whole and together with their stream. These are not counted at all.
  let fresh: Holding[] = [];
  const takeFresh = (): void => {
    const taken = fresh;
    fresh = [];
    for (const holding of taken) {
      holding.isFresh = false;
      if (holding.freshBytes > 0) hold(holding, holding.freshBytes, false);
    }
  };
  const holdUnlessFresh = (holding: Holding, bytes: number, isNew: boolean): void => {
    if (holding.isFresh && bytes <= FRESH_BYTES) holding.freshBytes = bytes;
    else {
      holding.freshBytes = 0;
      hold(holding, bytes, isNew);
    }
  };

  return {
    follow: (stream, session, maxMessageBytes, headerBytes, connections) => {
      const holding = new Holding(session);
      if (fresh.push(holding) === 1) setImmediate(takeFresh);
      const guarded = new GuardedStream(stream, maxMessageBytes, headerBytes, {
        holds: (bytes, isNew) => holdUnlessFresh(holding, bytes, isNew),
        received: (bytes) => session.countStreamBytes(bytes),
        proven: () => connections.proven(session),
        abandoned: () => connections.abandoned(session),
        limitReached: (limit, value) => reached(session, limit, value),
      });
      holding.guarded = guarded;
      return guarded;
    },
  };
}
