import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import type { SocketClock } from '../pending-handshakes.js';
import { AddressShares } from './address-shares.js';
import { Arrival, createArrivingConnections } from './arriving-connections.js';
import type { ConnectionGuard } from './connection-guard.js';
import { type GrpcLimitName, type GrpcLimits, TURN_MS } from './grpc-limits.js';
import type { GuardedSession } from './guarded-session.js';
import { GuardedStream } from './guarded-stream.js';
import { type BudgetHolder, SharedBudget } from './shared-budget.js';
import type { Waiting } from './waiting-line.js';

/** The incomplete messages of all peers. */
export interface IncompleteMessages {
  /** Takes a connection, of which nothing has been read, when its address has room for its first bytes. */
  arrive(socket: Socket, take: () => void): void;
  /** @param maxMessageBytes limit of one message. @param headerBytes metadata of the stream */
  follow(
    stream: ServerHttp2Stream,
    session: GuardedSession,
    maxMessageBytes: number,
    headerBytes: number,
    connections: Pick<ConnectionGuard, 'proven' | 'abandoned'>,
  ): GuardedStream;
}

type Reached = (session: Pick<GuardedSession, 'peer' | 'group'>, limit: GrpcLimitName, value: number) => string;

/** Interval between two searches for messages that exceeded their time. */
const LOOK_MS = 1000;
/** A stream that holds more is counted at once. */
const FRESH_BYTES = 64 * 1024;
/** What a message at its turn brings within `TURN_MS`: a busy peer sends a window at a time. */
const PROGRESS_BYTES = 16 * 1024;

/** The bytes of one stream in both budgets. */
class Holding implements BudgetHolder {
  readonly group: string;
  /** Bytes that the budgets count; 0 for none. */
  bytes = 0;
  sinceMs = 0;
  /** The bytes at the last progress of the message, and when that was seen; at first its begin. */
  progressBytes = 0;
  progressMs = 0;
  /** Whether the stream arrived in this turn of the event loop. */
  isFresh = true;
  freshBytes = 0;
  /** Bytes of the message that has its turn; 0 for none. */
  announced = 0;
  /** The message waits for its turn. */
  turn: Waiting | undefined;
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
  const byAddress = new AddressShares<Holding | Arrival>(
    { max: limits.grpcMaxIncompleteBytes, maxPerGroup: limits.grpcMaxIncompleteBytesPerAddress },
    (holding, over) => {
      // A connection of which nothing has arrived holds nothing yet.
      if (holding instanceof Arrival) return;
      if (over === 'all') refuse(holding, 'incomplete_bytes', limits.grpcMaxIncompleteBytes);
      else refuse(holding, 'incomplete_bytes_per_address', limits.grpcMaxIncompleteBytesPerAddress);
    },
    ({ group, peer }) => reached({ peer, group }, 'delayed_messages', limits.grpcMaxIncompleteBytesPerAddress),
  );
  const arriving = createArrivingConnections({
    shares: byAddress,
    clock,
    maxBytes: limits.grpcMaxIncompleteBytesPerAddress,
    maxWaiting: limits.grpcMaxUnprovenConnectionsPerAddress,
    onClosed: (arrival) =>
      reached(arrival, 'unproven_connections_per_address', limits.grpcMaxUnprovenConnectionsPerAddress),
  });
  const byConnection = new SharedBudget<Holding['ofConnection']>(
    { max: Number.POSITIVE_INFINITY, maxPerGroup: limits.grpcMaxIncompleteBytesPerConnection },
    ({ of }) => refuse(of, 'incomplete_bytes_per_connection', limits.grpcMaxIncompleteBytesPerConnection),
  );
  const endTurn = (holding: Holding): void => {
    if (holding.turn !== undefined) byAddress.leave(holding.turn);
    if (holding.announced > 0) byAddress.ended(holding.group, holding.announced);
    holding.turn = undefined;
    holding.announced = 0;
  };
  const release = (holding: Holding): void => {
    endTurn(holding);
    if (holding.bytes === 0) return;
    holding.bytes = 0;
    holdings.delete(holding);
    byAddress.set(holding, 0);
    byConnection.set(holding.ofConnection, 0);
  };

  /** Whether the peer has had this time since then to go on with a message, and has not. */
  const isLate = (holding: Holding, sinceMs: number, timeMs: number): boolean =>
    clock.monotonicMs() - sinceMs >= timeMs && holding.turn === undefined && holding.guarded?.isIncomplete === true;
  const noteProgress = (holding: Holding): void => {
    if (holding.bytes < holding.progressBytes + PROGRESS_BYTES) return;
    holding.progressBytes = holding.bytes;
    holding.progressMs = clock.monotonicMs();
  };
  const look = (): void => {
    const beforeMs = clock.monotonicMs() - limits.grpcMessageTimeoutMs;
    for (const holding of holdings) {
      if (holding.sinceMs > beforeMs) break;
      if (!isLate(holding, holding.sinceMs, limits.grpcMessageTimeoutMs)) continue;
      refuse(holding, 'message_timeout', limits.grpcMessageTimeoutMs, status.DEADLINE_EXCEEDED);
    }
    for (const holding of byAddress.inDemand()) {
      if (holding instanceof Arrival) continue;
      noteProgress(holding);
      if (!isLate(holding, holding.progressMs, TURN_MS)) continue;
      refuse(holding, 'turn_timeout', limits.grpcMaxIncompleteBytesPerAddress, status.DEADLINE_EXCEEDED);
    }
    isLooking = holdings.size > 0;
    if (isLooking) clock.schedule(LOOK_MS, look);
  };
  const hold = (holding: Holding, bytes: number, isNew: boolean): void => {
    if (bytes === 0 || isNew) release(holding);
    if (bytes === holding.bytes) return;
    if (holding.bytes === 0) {
      holding.sinceMs = clock.monotonicMs();
      holding.progressBytes = 0;
      holding.progressMs = holding.sinceMs;
      holdings.add(holding);
      if (!isLooking) {
        isLooking = true;
        clock.schedule(LOOK_MS, look);
      }
    }
    holding.bytes = bytes;
    byConnection.set(holding.ofConnection, bytes);
    // The budget of the connection may have evicted the stream.
    if (holding.bytes > 0) byAddress.set(holding, Math.max(bytes, holding.announced));
  };

  /** @returns whether the message may arrive at once. Otherwise `begin` is called at its turn */
  const takeTurn = (holding: Holding, announced: number, begin: () => void): boolean => {
    if (holding.announced > 0) return true;
    if (holding.turn !== undefined) return false;
    if (holding.isFresh) {
      holding.isFresh = false;
      hold(holding, holding.freshBytes, false);
    }
    const { group, session } = holding;
    let hasWaited = false;
    const waiting: Waiting = {
      ...{ group, peer: session.peer, amount: announced },
      begin: () => {
        const { bytes } = holding;
        holding.turn = undefined;
        // The peer could not send while the message waited. Its time begins now.
        if (hasWaited) release(holding);
        holding.announced = announced;
        byAddress.begun(group, announced);
        if (!hasWaited) byAddress.set(holding, Math.max(bytes, announced));
        else {
          hold(holding, bytes, false);
          begin();
        }
      },
    };
    if (byAddress.waitForMessage(waiting)) return true;
    hasWaited = true;
    holding.turn = waiting;
    return false;
  };

  // Most messages arrive whole and together with their stream. These are not counted at all.
  let fresh: Holding[] = [];
  const takeFresh = (): void => {
    const taken = fresh;
    fresh = [];
    for (const holding of taken) {
      if (holding.isFresh && holding.freshBytes > 0) hold(holding, holding.freshBytes, false);
      holding.isFresh = false;
      arriving.hasStream(holding.session.peer);
    }
  };
  const holdUnlessFresh = (holding: Holding, bytes: number, isNew: boolean): void => {
    if (holding.isFresh && bytes <= FRESH_BYTES) holding.freshBytes = bytes;
    else {
      holding.isFresh = false;
      hold(holding, bytes, isNew);
    }
  };

  return {
    arrive: arriving.arrive,
    follow: (stream, session, maxMessageBytes, headerBytes, connections) => {
      const holding = new Holding(session);
      if (fresh.push(holding) === 1) setImmediate(takeFresh);
      const guarded = new GuardedStream(stream, maxMessageBytes, headerBytes, {
        holds: (bytes, isNew) => holdUnlessFresh(holding, bytes, isNew),
        received: (bytes) => session.countStreamBytes(bytes),
        mayContinue: (announced, begin) => takeTurn(holding, announced, begin),
        proven: () => connections.proven(session),
        abandoned: () => connections.abandoned(session),
        limitReached: (limit, value) => reached(session, limit, value),
      });
      holding.guarded = guarded;
      return guarded;
    },
  };
}
