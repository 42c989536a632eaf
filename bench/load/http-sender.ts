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

/**
 * Node's client would use more of a core for each request than Envoy does, and the generator shares the cores with the
 * programs that it measures.
 */
export function createHttpSender(port: number): HttpSender {
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const open = (): Connection => {
    const connection = new Connection(port, idle, () => all.delete(connection));
    all.add(connection);
    return connection;
  };
  return {
    send: ({ method, path, headers }) => {
      let head = `${method} ${path} HTTP/1.1\r\n`;
      for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
      // The connection that was used last comes first, as in Envoy.
      return (idle.pop() ?? open()).send(`${head}\r\n`);
    },
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}

class Connection {
  readonly #socket: Socket;
  readonly #idle: Connection[];
  #waiting: Waiting | undefined;
  #read = '';
  #error: Error | undefined;

  constructor(port: number, idle: Connection[], onClosed: () => void) {
    this.#idle = idle;
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => {
      onClosed();
      const at = idle.indexOf(this);
      if (at >= 0) idle.splice(at, 1);
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
    else this.#idle.push(this);
    waiting?.resolve(Number(head.slice(9, 12)));
  }
}
