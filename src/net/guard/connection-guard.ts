import type { Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { SocketClock } from '../pending-handshakes.js';
import { addressKey } from './address-key.js';
import type { GrpcLimitName, GrpcLimits } from './grpc-limits.js';
import { GuardedSession } from './guarded-session.js';
import { SharedBudget } from './shared-budget.js';

/** The HTTP/2 connections of all gRPC listeners. */
export interface ConnectionGuard {
  /** @param socket below the session */
  opened(session: ServerHttp2Session, socket: Socket): GuardedSession;
  /** A complete message has arrived. */
  proven(session: GuardedSession): void;
  /** A stream has ended before its first message was complete. */
  abandoned(session: GuardedSession): void;
}

const TICK_MS = 1000;
/** Seconds over which abandoned streams are counted. */
const ABANDONED_TICKS = 10;

/** Closes connections whose peers send nothing, frames without streams, or streams without messages. */
export function createConnectionGuard(
  limits: GrpcLimits,
  clock: SocketClock,
  reached: (session: GuardedSession, limit: GrpcLimitName, value: number) => string,
): ConnectionGuard {
  const sessions = new Map<Http2Session, GuardedSession>();
  let ticks = 0;
  let isTicking = false;

  const end = (session: GuardedSession, limit: GrpcLimitName, value: number): void => {
    if (session.isEnded) return;
    session.end(reached(session, limit, value));
  };
  const unproven = new SharedBudget<GuardedSession>(
    { max: limits.grpcMaxUnprovenConnections, maxPerGroup: limits.grpcMaxUnprovenConnectionsPerAddress },
    (session, over) => {
      if (over === 'all') end(session, 'unproven_connections', limits.grpcMaxUnprovenConnections);
      else end(session, 'unproven_connections_per_address', limits.grpcMaxUnprovenConnectionsPerAddress);
    },
  );

  const look = (session: GuardedSession, nowMs: number, isNewDecade: boolean): void => {
    session.controlFrames = 0;
    if (isNewDecade) session.abandonedStreams = 0;
    if (session.takeControlBytes() > limits.grpcMaxControlBytes) {
      end(session, 'control_bytes', limits.grpcMaxControlBytes);
    } else if (!session.isProven && nowMs - session.openedMs >= limits.grpcUnprovenTimeoutMs) {
      end(session, 'unproven_timeout', limits.grpcUnprovenTimeoutMs);
    }
  };
  const tick = (): void => {
    ticks++;
    const nowMs = clock.monotonicMs();
    for (const session of sessions.values()) look(session, nowMs, ticks % ABANDONED_TICKS === 0);
    isTicking = sessions.size > 0;
    if (isTicking) clock.schedule(TICK_MS, tick);
  };

  return {
    opened: (http2Session, socket) => {
      const session = new GuardedSession(http2Session, socket, addressKey(socket.remoteAddress), clock.monotonicMs());
      sessions.set(http2Session, session);
      const countFrame = (): void => {
        if (++session.controlFrames > limits.grpcMaxControlFrames) {
          end(session, 'control_frames', limits.grpcMaxControlFrames);
        }
      };
      http2Session.on('ping', countFrame);
      http2Session.on('remoteSettings', countFrame);
      http2Session.once('close', () => {
        sessions.delete(http2Session);
        unproven.set(session, 0);
      });
      unproven.set(session, 1);
      if (!isTicking) {
        isTicking = true;
        clock.schedule(TICK_MS, tick);
      }
      return session;
    },
    proven: (session) => {
      if (session.isProven) return;
      session.isProven = true;
      unproven.set(session, 0);
    },
    abandoned: (session) => {
      if (++session.abandonedStreams > limits.grpcMaxAbandonedStreams) {
        end(session, 'abandoned_streams', limits.grpcMaxAbandonedStreams);
      }
    },
  };
}
