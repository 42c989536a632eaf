import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { type Server, type ServerInterceptor, type ServerOptions, status } from '@grpc/grpc-js';
import type { GrpcService } from '../grpc-service.js';
import type { SocketClock } from '../pending-handshakes.js';
import { addressKey } from './address-key.js';
import { createConnectionGuard } from './connection-guard.js';
import type { GrpcLimitName, GrpcLimits, ReachedLimit } from './grpc-limits.js';
import { createMessageLimits } from './grpc-limits.js';
import type { GuardedSession } from './guarded-session.js';
import { type GuardedStream, respondWithError } from './guarded-stream.js';
import { HeaderOffenders } from './header-offenders.js';
import { http2ServersOf } from './http2-servers-of.js';
import { createIncompleteMessages } from './incomplete-messages.js';
import { describeLimit, settingOf } from './limit-texts.js';
import { createSessionEnds } from './session-ends.js';

/** Abandoned streams that one with too much metadata counts as. */
const OVERSIZED_COST = 20;

/** What the peers of all gRPC listeners of a process may take, together. */
export interface GrpcGuard {
  /** Stands before a server. */
  open(server: GuardedServices): GuardedServer;
}

/** What a server serves. */
export interface GuardedServices {
  readonly services: readonly Pick<GrpcService, 'requestClasses'>[];
  /** Of the methods that no class is given for. */
  readonly maxMessageBytes: number;
}

export interface GuardedServer {
  readonly options: Pick<ServerOptions, 'interceptors'>;
  /** Whether a connection is taken; otherwise it has been closed. To be asked before the server gets the connection. */
  admits(socket: Socket): boolean;
  /** @param server made with `options`, after its connection injector has been made and before it has connections */
  protect(server: Server): void;
}

/**
 * Bounds what peers can take below grpc-js, most of it before it is known who they are: bytes of incomplete messages,
 * time for a message, sizes of messages and headers, connections and streams that come to nothing, frames without use.
 *
 * @param onLimitReached called each time: anybody can cause it as often as they like
 */
export function createGrpcGuard(
  limits: GrpcLimits,
  clock: SocketClock,
  onLimitReached: (reached: ReachedLimit) => void,
): GrpcGuard {
  const reached = (session: GuardedSession, limit: GrpcLimitName, value: number): string => {
    const { peer, group: address } = session;
    onLimitReached({ limit, setting: settingOf(limit), value, peer, address });
    return describeLimit(limit, value, address);
  };
  const connections = createConnectionGuard(limits, clock, reached);
  const incomplete = createIncompleteMessages(limits, clock, reached);
  const offenders = new HeaderOffenders(clock);
  const sessionEnds = createSessionEnds();

  const open = ({ services, maxMessageBytes: otherwise }: GuardedServices): GuardedServer => {
    const maxMessageBytes = createMessageLimits(limits, services, otherwise);
    // grpc-js makes a call of a stream in the same moment, between the stream's event and the interceptor.
    let latest: GuardedStream | undefined;

    const interceptor: ServerInterceptor = ({ requestStream }, call) => {
      sendWellFormedDetails(call);
      if (latest !== undefined && Reflect.get(call, 'stream') === latest.stream) latest.serve(call, !requestStream);
      // grpc-js asks for its own class, which the call is that it hands over.
      return call as ReturnType<ServerInterceptor>;
    };

    /** @returns undefined for a stream that has been refused */
    const follow = (
      stream: ServerHttp2Stream,
      session: GuardedSession,
      path: string,
      rawHeaders: readonly string[],
    ): GuardedStream | undefined => {
      let headerBytes = 0;
      for (const text of rawHeaders) headerBytes += text.length;
      session.countStreamBytes(headerBytes);
      if (headerBytes <= limits.grpcMaxHeaderBytes) {
        return incomplete.follow(stream, session, maxMessageBytes(path), headerBytes, connections);
      }
      const details = reached(session, 'header_bytes', limits.grpcMaxHeaderBytes);
      offenders.record(session.group);
      if (offenders.isBlocked(session.group)) {
        session.end(details);
        return undefined;
      }
      respondWithError(stream, status.RESOURCE_EXHAUSTED, details);
      stream.close();
      // Its headers have cost as much as many streams.
      for (let count = 0; count < OVERSIZED_COST; count++) connections.abandoned(session);
      return undefined;
    };

    return {
      options: { interceptors: [interceptor] },
      admits: (socket) => {
        if (!offenders.isBlocked(addressKey(socket.remoteAddress))) return true;
        socket.destroy();
        return false;
      },
      protect: (server) => {
        for (const http2Server of http2ServersOf(server)) {
          // Node makes the session of a connection in the moment that it is handed over.
          let latestSocket: Socket | undefined;
          let latestSession: GuardedSession | undefined;
          http2Server.prependListener('connection', (socket: Socket) => {
            latestSocket = socket;
          });
          http2Server.on('session', (session: ServerHttp2Session) => {
            sessionEnds.watch(session);
            if (latestSocket === undefined) return;
            const guarded = connections.opened(session, latestSocket);
            // The server's event follows in the same moment; a stream that has been reset does not know its session.
            session.prependListener('stream', () => {
              latestSession = guarded;
            });
          });
          const serve = http2Server.listeners('stream');
          http2Server.removeAllListeners('stream');
          http2Server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags, rawHeaders) => {
            // An error without a listener would end the process. What follows from it is told by the event of its close.
            stream.on('error', () => undefined);
            const session = latestSession;
            if (session === undefined || session.isEnded) return;
            // Its peer has reset it already. Node throws where such a stream is answered, as grpc-js does.
            if (stream.destroyed || stream.closed) {
              connections.abandoned(session);
              return;
            }
            const guarded = follow(stream, session, headers[':path'] ?? '', rawHeaders);
            if (guarded === undefined) return;
            latest = guarded;
            for (const each of serve) Reflect.apply(each, http2Server, [stream, headers, flags, rawHeaders]);
            latest = undefined;
            if (guarded.isServed) guarded.countEarly();
            else guarded.closeAnswered();
          });
        }
      },
    };
  };
  return { open };
}

/** Half of a character that UTF-16 writes as two. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const HALF_CHARACTERS = /\p{Surrogate}/gu;

/**
 * Replaces what no UTF-8 has in the details of a call's status. grpc-js throws where it encodes such details, and an error
 * of ours may quote a peer's text that has them, or cut one in the middle of a character.
 */
function sendWellFormedDetails(call: Pick<ServerInterceptingCallInterface, 'sendStatus'>): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (ended) => {
    const { details } = ended;
    if (typeof details !== 'string' || !HALF_CHARACTER.test(details)) sendStatus(ended);
    else sendStatus({ ...ended, details: details.replace(HALF_CHARACTERS, '\u{fffd}') });
  };
}
