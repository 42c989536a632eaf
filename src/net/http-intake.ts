import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request or connection that a limit ended. */
export interface HttpRefusal {
  /** Address of the peer whose request or connection it is; empty when it is gone. */
  readonly peer: string;
  readonly reason: 'connections' | 'connections-per-peer' | 'pipelining' | 'host-header';
}

/**
 * Requests that a connection may send before the answer to the first has ended. A client that waits for each answer
 * may still be one ahead: it has the whole answer before this process knows that it was written.
 */
const MAX_WAITING = 4;

/** How long the text of a refusal may take to its reader. */
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
 * Hands an app one request of a connection at a time, in their order. Node's parser reads pipelined requests while the
 * first is answered, and would run all of them at once. A connection with more than four waiting requests is closed; a
 * request with two Host headers is answered 400, for proxies differ in which of them they take (RFC 9112, 3.2).
 */
export function createHttpIntake(app: RequestListener, onRefused: (refusal: HttpRefusal) => void): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const closing = new WeakSet<Socket>();

  const refuse = (socket: Socket, current: ServerResponse): void => {
    closing.add(socket);
    lines.get(socket)?.waiting.splice(0);
    onRefused({ peer: socket.remoteAddress ?? '', reason: 'pipelining' });
    // Within an answer that has begun, the text would be taken for a part of it.
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
      // Other connections get their turn in between.
      else setImmediate(() => isAlive(socket) && start(socket, following));
    });
    run(next);
  };

  const isAlive = (socket: Socket): boolean => socket.writable && !closing.has(socket);

  return (request, response) => {
    const { socket } = request;
    // What a closed connection has sent is parsed to its end; nothing is done for it.
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
