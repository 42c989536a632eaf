import { createServer, type Socket } from 'node:net';

/** Accepts TCP connections and can close all of them, so that no connection delays the end of the process. */
export interface TcpListener {
  /** @returns the port, even if the system chose it. @throws the error of the system if the address is not available */
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting; settles when all connections are closed. */
  close(): Promise<void>;
  /** Closes all connections at once. */
  hangUp(): void;
}

/**
 * Connections that the kernel keeps until they are accepted. Node's default of 511 overflows when all sidecars
 * reconnect at once.
 */
const BACKLOG = 4096;
/** How long new connections are accepted before other work runs. */
const TURN_MS = 10;

/** Decides when a new connection is taken. Nothing of it is read before. */
export type ConnectionQueue = (socket: Socket, take: () => void) => void;

/**
 * @param take called with each connection
 * @param queue lets connections wait. Default: they are taken at once
 */
export function createTcpListener(take: (socket: Socket) => void, queue?: ConnectionQueue): TcpListener {
  const sockets = new Set<Socket>();
  // Node accepts all waiting connections before it does other work, so a burst of them would delay the rest.
  let waiting: Socket[] = [];
  const takeWaiting = (): void => {
    const turn = waiting;
    const untilMs = performance.now() + TURN_MS;
    let taken = 0;
    while (taken < turn.length && performance.now() < untilMs) {
      const socket = turn[taken++];
      if (socket?.destroyed === false) enqueue(socket);
    }
    waiting = turn.slice(taken);
    if (waiting.length > 0) setImmediate(takeWaiting);
  };
  const enqueue = (socket: Socket): void => {
    if (queue === undefined) take(socket);
    else {
      queue(socket, () => {
        if (socket.destroyed) return;
        socket.resume();
        take(socket);
      });
    }
  };
  const server = createServer({ pauseOnConnect: queue !== undefined }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The peer may reset the connection before `take` gets it.
    socket.on('error', () => undefined);
    if (waiting.push(socket) === 1) setImmediate(takeWaiting);
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        // Without a host, Node listens on IPv4 if the machine has no IPv6.
        server.listen({ port, backlog: BACKLOG, ...(host === '' ? {} : { host }) }, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
