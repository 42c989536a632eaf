import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { createGrpcGuard } from '../../../src/net/guard/grpc-guard.js';
import { DEFAULT_GRPC_LIMITS, type GrpcLimits, type ReachedLimit } from '../../../src/net/guard/grpc-limits.js';
import { passThrough, rawMethod, rawStreamingMethod } from '../../../src/net/raw-method.js';
import { createTcpListener } from '../../../src/net/tcp-listener.js';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js';

export const UNARY = '/test.Echo/Unary';
export const STREAM = '/test.Echo/Stream';
/** Takes calls and does not read them. */
export const WAIT = '/test.Echo/Wait';
/** UNARY fails for it, with details that no UTF-8 has. */
export const HALF_CHARACTER = Buffer.from('half a character');
/** Of UNARY. */
export const UNARY_BYTES = 1000;

export interface GuardRig {
  readonly clock: FakeClock;
  readonly reached: ReachedLimit[];
  /** Sizes of the requests that came to a handler. */
  readonly requests: number[];
  /** Calls of WAIT. */
  readonly waiting: ServerDuplexStream<Buffer, Buffer>[];
  connect(from?: string): ClientHttp2Session;
  /**
   * As connect, to a server that reads the first bytes of a connection itself and puts them back, once the peer has sent
   * nothing for a while: Node is given all of them at once.
   */
  connectLate(): ClientHttp2Session;
  /** Sends bytes as one packet; the connection is made as that of connectLate. */
  sendLate(bytes: Buffer): Socket;
}

/** A gRPC server that echoes, behind a guard. */
export async function startGuardedServer(t: ExecutionContext, limits: Partial<GrpcLimits> = {}): Promise<GuardRig> {
  const clock = createFakeClock();
  const reached: ReachedLimit[] = [];
  const requests: number[] = [];
  const waiting: ServerDuplexStream<Buffer, Buffer>[] = [];
  const guard = createGrpcGuard({ ...DEFAULT_GRPC_LIMITS, grpcMaxCheckBytes: UNARY_BYTES, ...limits }, clock, (limit) =>
    reached.push(limit),
  );
  const guarded = guard.open({ services: [{ requestClasses: { [UNARY]: 'check' } }], maxMessageBytes: 2 ** 22 });
  const server = new Server({ ...guarded.options });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  guarded.protect(server);
  server.addService(
    {
      Unary: rawMethod(UNARY),
      Stream: rawStreamingMethod(STREAM, passThrough),
      Wait: rawStreamingMethod(WAIT, passThrough),
    },
    {
      Wait: (call: ServerDuplexStream<Buffer, Buffer>) => {
        call.on('error', () => undefined);
        waiting.push(call);
      },
      Unary: ({ request }: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
        requests.push(request.length);
        if (request.equals(HALF_CHARACTER)) callback({ code: status.INVALID_ARGUMENT, details: 'wrong: \ud83d' });
        else callback(null, request);
      },
      Stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        call.on('error', () => undefined);
        call.on('data', (message: Buffer) => {
          requests.push(message.length);
          call.write(message);
        });
        call.on('end', () => call.end());
      },
    },
  );
  const listener = createTcpListener((socket) => {
    if (guarded.admits(socket)) injector.injectConnection(socket);
  }, guard.arrive);
  const port = await listener.listen('127.0.0.1', 0);
  const late = createTcpListener(
    (socket) => void putBackFirstBytes(socket).then(() => injector.injectConnection(socket)),
  );
  const latePort = await late.listen('127.0.0.1', 0);
  t.teardown(async () => {
    listener.hangUp();
    late.hangUp();
    await Promise.all([listener.close(), late.close()]);
    server.forceShutdown();
  });
  const connect = (to: number, localAddress: string): ClientHttp2Session => {
    const socket = connectTcp({ host: '127.0.0.1', port: to, localAddress }).on('error', () => undefined);
    const session = connectHttp2('http://127.0.0.1', { createConnection: () => socket });
    session.on('error', () => undefined);
    // Node 20 has been seen to write without end when a session with unread answers is destroyed.
    t.teardown(() => socket.destroy());
    return session;
  };
  return {
    clock,
    reached,
    requests,
    waiting,
    connect: (from = '127.0.0.1') => connect(port, from),
    connectLate: () => connect(latePort, '127.0.0.1'),
    sendLate: (bytes) => {
      const socket = connectTcp({ host: '127.0.0.1', port: latePort }).on('error', () => undefined);
      t.teardown(() => socket.destroy());
      socket.write(bytes);
      return socket.resume();
    },
  };
}

/** Waits until a client's preface, settings, headers and first data frame have come: more than 200 bytes. */
async function putBackFirstBytes(socket: Socket): Promise<void> {
  const chunks: Buffer[] = [];
  while (Buffer.concat(chunks).length < 200) {
    await once(socket, 'readable');
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) chunks.push(chunk);
  }
  socket.unshift(Buffer.concat(chunks));
}

export interface CallEnd {
  readonly code: number;
  readonly details: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** How a call ends: its status. Rejects when the test waits in vain. */
export function endOf(stream: ClientHttp2Stream): Promise<CallEnd> {
  return new Promise((resolve) => {
    let headers: Record<string, unknown> = {};
    const take = (fields: object): void => {
      headers = { ...headers, ...fields };
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.resume();
    stream.once('close', () =>
      resolve({
        code: Number(headers['grpc-status'] ?? -1),
        details: decodeURI(String(headers['grpc-message'] ?? '')),
        headers,
      }),
    );
  });
}

export function closed(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve) => {
    if (session.destroyed) resolve();
    else session.once('close', () => resolve());
  });
}

/** Settles when the server has taken all that was sent before. */
export async function answered(session: ClientHttp2Session): Promise<void> {
  if (session.connecting) await once(session, 'connect');
  await new Promise<void>((resolve) => {
    session.ping(() => resolve());
  });
}
