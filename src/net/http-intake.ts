import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request or connection that a limit ended. */
export interface HttpRefusal {
  /** Address of the peer; empty if the connection is closed. */
  readonly peer: string;
  readonly reason: 'connections' | 'connections-per-peer' | 'pipelining' | 'host-header';
}

/**
 * Requests that a connection may send before the first response has ended. A client that waits for each response can
 * still be one request ahead: it has the whole response before this process knows that it was written.
 */
const MAX_WAITING = 4;

/** How long the connection stays open for the peer to read the error. */
const GOODBYE_MS = 1000;

const TOO_MANY =
  'The connection has sent more requests than this server answers on one connection at once. ' +
  'Wait for each answer before you send the next request.\n';
const SECOND_HOST = 'The request has more than one Host header. Send exactly one.\n';

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Line {
  current: ServerResponse;
  readonly waiting: Waiting[];
}

/**
 * Hands the app one request of a connection at a time, in order. Node's parser reads pipelined requests during the
 * first response and would run all of them at once. A connection with more than four waiting requests is closed. A
 * request with two Host headers gets status 400, because proxies disagree on which of them counts (RFC 9112, 3.2).
 */
export function createHttpIntake(app: RequestListener, onRefused: (refusal: HttpRefusal) => void): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const closing = new WeakSet<Socket>();

  const refuse = (socket: Socket, current: ServerResponse): void => {
    closing.add(socket);
    lines.get(socket)?.waiting.splice(0);
    onRefused({ peer: socket.remoteAddress ?? '', reason: 'pipelining' });
    // After the headers of a response, the client would read the text as part of that response.
    if (current.headersSent) {
      socket.destroy();
      return;
    }
    socket.write(rawAnswer('400 Bad Request', TOO_MANY));
    socket.destroySoon();
    socket.pause();
    socket.setTimeout(GOODBYE_MS, () => socket.destroy());
  };

  const run = ({ request, response }: Waiting): void => {
    if (!hasSecondHost(request)) {
      app(request, response);
      return;
    }
    onRefused({ peer: request.socket.remoteAddress ?? '', reason: 'host-header' });
    response.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(SECOND_HOST);
  };

  const start = (socket: Socket, next: Waiting): void => {
    const line = lines.get(socket) ?? { current: next.response, waiting: [] };
    line.current = next.response;
    lines.set(socket, line);
    next.response.once('close', () => {
      const following = line.waiting.shift();
      if (following === undefined) lines.delete(socket);
      // Requests of other connections run in between.
      else setImmediate(() => isAlive(socket) && start(socket, following));
    });
    run(next);
  };

  const isAlive = (socket: Socket): boolean => socket.writable && !closing.has(socket);

  return (request, response) => {
    const { socket } = request;
    // The parser continues with the bytes that a closed connection has sent. These requests are dropped.
    if (!isAlive(socket)) return;
    const line = lines.get(socket);
    if (line === undefined) start(socket, { request, response });
    else if (line.waiting.length < MAX_WAITING) line.waiting.push({ request, response });
    else refuse(socket, line.current);
  };
}

function hasSecondHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

function rawAnswer(status: string, text: string): string {
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
    `Connection: close\r\n\r\n${text}`
  );
}
