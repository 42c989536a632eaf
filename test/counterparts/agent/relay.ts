import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { errorText } from '../../../src/base/error-text.js';
import type { RelayedCall, RelayOptions } from './calls.js';
import type { RunningServer } from './running-server.js';

export interface Relay extends RunningServer {
  calls(): readonly RelayedCall[];
}

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

function forward(session: ClientHttp2Session, headers: IncomingHttpHeaders, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = session.request(headers);
    let answerHeaders: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    call.on('response', (received) => {
      answerHeaders = received;
    });
    call.on('trailers', (received) => {
      trailers = received;
    });
    call.on('error', reject);
    readAll(call).then((answer) => resolve({ headers: answerHeaders, body: answer, trailers }), reject);
    call.end(body);
  });
}

function answer(stream: ServerHttp2Stream, { headers, body, trailers }: Reply): void {
  const hasTrailers = Object.keys(trailers).length > 0;
  stream.respond(headers, { waitForTrailers: hasTrailers, endStream: !hasTrailers && body.length === 0 });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  if (hasTrailers || body.length > 0) stream.end(body);
}

/** Relays unary gRPC calls over cleartext HTTP/2; the target has seen and answered a spoilt call too. */
export async function serveRelay({ address, port, target, spoil, by }: RelayOptions): Promise<Relay> {
  const calls: RelayedCall[] = [];
  const sessions = new Set<Http2Session>();
  const upstream = connect(target);
  // If the target is unreachable, the calls fail and report it.
  upstream.on('error', () => undefined);
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const spoilt = calls.length < spoil;
    const call = { at: Date.now(), path: String(headers[':path']), spoilt, failure: '' };
    calls.push(call);
    readAll(stream)
      .then((body) => forward(upstream, headers, body))
      .then(
        (reply) => {
          if (!spoilt) answer(stream, reply);
          else if (by === 'connection') stream.session?.destroy();
          else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        },
        (error: unknown) => {
          call.failure = errorText(error);
          stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        },
      );
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    calls: () => [...calls],
    stop: () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped());
        upstream.destroy();
        for (const session of sessions) session.destroy();
      }),
  };
}
