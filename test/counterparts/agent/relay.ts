import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createNetServer } from 'node:net';
import { systemClock } from '../../../src/base/clock.js';
import { errorText } from '../../../src/base/error-text.js';
import { createHttpVersionDetector } from '../../../src/net/detect-http-version.js';
import type { RelayedCall, RelayOptions } from './calls.js';
import { listen, type RunningServer } from './running-server.js';

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

/** The same over HTTP/1.1, for a request without a body. */
function forwardRequest(
  { method, url, rawHeaders }: IncomingMessage,
  target: string,
): Promise<readonly [IncomingMessage, Buffer]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const call = request({ host: hostname, port, method, path: url, headers: rawHeaders, agent: false }, (response) => {
      readAll(response).then((body) => resolve([response, body]), reject);
    });
    call.on('error', reject);
    call.end();
  });
}

function answerRequest(
  response: ServerResponse,
  [{ statusCode = 500, rawHeaders }, body]: readonly [IncomingMessage, Buffer],
): void {
  response.writeHead(statusCode, rawHeaders);
  response.end(body);
}

/**
 * Relays unary gRPC calls over cleartext HTTP/2, and requests without a body over HTTP/1.1; the target has seen and
 * answered a spoilt call too.
 */
export async function serveRelay({ address, port, target, spoil, by }: RelayOptions): Promise<Relay> {
  const calls: (RelayedCall & { failure: string })[] = [];
  const sessions = new Set<Http2Session>();
  const begin = (path: string) => {
    const call = { at: Date.now(), path, spoilt: calls.length < spoil, failure: '' };
    calls.push(call);
    return call;
  };
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
    const call = begin(String(headers[':path']));
    readAll(stream)
      .then((body) => forward(upstream, headers, body))
      .then(
        (reply) => {
          if (!call.spoilt) answer(stream, reply);
          else if (by === 'connection') stream.session?.destroy();
          else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        },
        (error: unknown) => {
          call.failure = errorText(error);
          stream.close(constants.NGHTTP2_INTERNAL_ERROR);
        },
      );
  });
  const httpServer = createHttpServer((incoming, response) => {
    const call = begin(String(incoming.url));
    forwardRequest(incoming, target).then(
      (reply) => {
        if (!call.spoilt) answerRequest(response, reply);
        else if (by === 'connection') response.destroy();
        else response.writeHead(502).end();
      },
      (error: unknown) => {
        call.failure = errorText(error);
        response.destroy();
      },
    );
  });
  const detect = createHttpVersionDetector(
    systemClock,
    (socket, version) => {
      if (version === 'h2') server.emit('connection', socket);
      else {
        httpServer.emit('connection', socket);
        socket.resume();
      }
    },
    () => undefined,
  );
  const listening = await listen(createNetServer(detect), { name: 'relay', port, address });
  return {
    port: listening.port,
    calls: () => [...calls],
    stop: async () => {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      await listening.stop();
    },
  };
}
