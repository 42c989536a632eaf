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
import { type GuardedStream, respondWithError, WINDOW_BYTES } from './guarded-stream.js';
import { HeaderOffenders } from './header-offenders.js';
import { http2ServersOf } from './http2-servers-of.js';
import { createIncompleteMessages } from './incomplete-messages.js';
import { describeLimit, settingOf } from './limit-texts.js';
import { type AnswerRequest, createRequestConnections, type RequestConnections } from './request-connections.js';
import { createSessionEnds } from './session-ends.js';

/** One stream with too much metadata counts as this many abandoned streams. */
const OVERSIZED_COST = 20;

/** Limits that the peers of all gRPC listeners of a process share. */
export interface GrpcGuard {
  /**
   * Takes a new connection, of which nothing has been read, when its address has room for its first bytes. Until then
   * they stay in the kernel.
   */
  arrive(socket: Socket, take: () => void): void;
  /** Protects a server. */
  open(server: GuardedServices): GuardedServer;
  /** Reads requests of HTTP/1.1 from connections beside those of gRPC, within the same limits. @param maxAgeMs of a connection */
  requests(answer: AnswerRequest, maxAgeMs: number): RequestConnections;
}

/** The services of a server. */
export interface GuardedServices {
  readonly services: readonly Pick<GrpcService, 'requestClasses'>[];
  /** Limit of the methods without a request class. */
  readonly maxMessageBytes: number;
}

export interface GuardedServer {
  readonly options: Pick<ServerOptions, 'interceptors'>;
  /** Returns false if the connection is refused, and closes it. Call this before the server gets the connection. */
  admits(socket: Socket): boolean;
  /** @param server created with `options`, after its connection injector was created and before it has connections */
  protect(server: Server): void;
}

/**
 * Limits peers below grpc-js, mostly before they are authenticated: bytes of incomplete messages, time for a message,
 * sizes of messages and headers, connections and streams without a message, useless frames.
 *
 * @param onLimitReached called each time. A peer can cause this at any rate, so limit the log lines
 */
export function createGrpcGuard(
  limits: GrpcLimits,
  clock: SocketClock,
  onLimitReached: (reached: ReachedLimit) => void,
): GrpcGuard {
  const reached = (session: Pick<GuardedSession, 'peer' | 'group'>, limit: GrpcLimitName, value: number): string => {
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
    // grpc-js creates the call of a stream synchronously, between the stream event and the interceptor.
    let latest: GuardedStream | undefined;

    const interceptor: ServerInterceptor = ({ requestStream }, call) => {
      sendWellFormedDetails(call);
      if (latest !== undefined && Reflect.get(call, 'stream') === latest.stream) latest.serve(call, !requestStream);
      // The type of grpc-js demands its own class, and this call is an instance of it.
      return call as ReturnType<ServerInterceptor>;
    };

    /** @returns undefined for a refused stream */
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
      // Its headers cost as much as many streams.
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
          http2Server.updateSettings({ initialWindowSize: WINDOW_BYTES });
          // Node creates the session of a connection synchronously after this event.
          let latestSocket: Socket | undefined;
          let latestSession: GuardedSession | undefined;
          http2Server.prependListener('connection', (socket: Socket) => {
            latestSocket = socket;
          });
          http2Server.on('session', (session: ServerHttp2Session) => {
            sessionEnds.watch(session);
            if (latestSocket === undefined) return;
            const guarded = connections.opened(session, latestSocket);
            // The server's stream event follows at once. A stream that was reset does not know its session.
            session.prependListener('stream', () => {
              latestSession = guarded;
            });
          });
          const serve = http2Server.listeners('stream');
          http2Server.removeAllListeners('stream');
          http2Server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags, rawHeaders) => {
            // An error without a listener ends the process. The close event follows each error.
            stream.on('error', () => undefined);
            const session = latestSession;
            if (session === undefined || session.isEnded) return;
            // The peer has reset the stream. Node throws when such a stream is answered, as grpc-js does.
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
  return {
    arrive: incomplete.arrive,
    open,
    requests: (answer, maxAgeMs) => createRequestConnections({ limits, clock, answer, maxAgeMs, reached }),
  };
}

/** Half of a surrogate pair. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const HALF_CHARACTERS = /\p{Surrogate}/gu;

/**
 * Replaces unpaired surrogates in the details of a status. grpc-js throws when it encodes them. An error message can
 * quote such text of a peer, or cut a text in the middle of a pair.
 */
function sendWellFormedDetails(call: Pick<ServerInterceptingCallInterface, 'sendStatus'>): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (ended) => {
    const { details } = ended;
    if (typeof details !== 'string' || !HALF_CHARACTER.test(details)) sendStatus(ended);
    else sendStatus({ ...ended, details: details.replace(HALF_CHARACTERS, '\u{fffd}') });
  };
}
