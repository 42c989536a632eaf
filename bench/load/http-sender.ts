import { connect, type Socket } from 'node:net';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends HTTP/1.1 requests without bodies to one loopback port, on connections that are kept. */
export interface HttpSender {
  /** Settles with the status when the whole answer has been read. The answer must have a Content-Length. */
  send(sent: SentRequest): Promise<number>;
  close(): void;
}

interface Waiting {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

const END_OF_HEAD = '\r\n\r\n';
/** More connections would exhaust the files that a process may open, here and in Envoy. */
const MAX_CONNECTIONS = 4096;

/**
 * Node's client would use more of a core for each request than Envoy does, and the generator shares the cores with the
 * programs that it measures.
 *
 * @param maxConnections further requests wait until one of them is idle. Default 4,096
 */
export function createHttpSender(port: number, maxConnections = MAX_CONNECTIONS): HttpSender {
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  /** Requests without a connection, the oldest first. */
  const queue: Queued[] = [];
  // The connection that was used last comes first, as in Envoy.
  const free = (): Connection | undefined => idle.pop() ?? (all.size < maxConnections ? open() : undefined);
  const sendQueued = (): void => {
    while (queue.length > 0) {
      const connection = free();
      if (connection === undefined) return;
      const next = queue.shift();
      if (next !== undefined) connection.send(next.text).then(next.resolve, next.reject);
    }
  };
  const open = (): Connection => {
    const connection = new Connection(
      port,
      () => {
        idle.push(connection);
        sendQueued();
      },
      () => {
        all.delete(connection);
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
        sendQueued();
      },
    );
    all.add(connection);
    return connection;
  };
  return {
    send: ({ method, path, headers }) => {
      let text = `${method} ${path} HTTP/1.1\r\n`;
      for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
      text += '\r\n';
      return free()?.send(text) ?? new Promise((resolve, reject) => queue.push({ text, resolve, reject }));
    },
    close: () => {
      for (const { reject } of queue.splice(0)) reject(new Error('the sender was closed before the request was sent'));
      for (const connection of all) connection.close();
    },
  };
}

/** A request that waits for a connection. */
interface Queued extends Waiting {
  readonly text: string;
}

class Connection {
  readonly #socket: Socket;
  readonly #onIdle: () => void;
  #waiting: Waiting | undefined;
  #read = '';
  #error: Error | undefined;

  constructor(port: number, onIdle: () => void, onClosed: () => void) {
    this.#onIdle = onIdle;
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => {
      onClosed();
      this.#waiting?.reject(this.#error ?? new Error('the connection was closed before the answer'));
    });
  }

  send(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(text, 'latin1');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#read += bytes.toString('latin1');
    const end = this.#read.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#read.slice(0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#read.length < end + END_OF_HEAD.length + length) return;
    this.#read = '';
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (/\r\nconnection: *close/i.test(head)) this.close();
    else this.#onIdle();
    waiting?.resolve(Number(head.slice(9, 12)));
  }
}
