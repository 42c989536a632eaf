import { createServer, type Socket } from 'node:net';

/** Takes TCP connections, and knows them, so that none can hold the end of the process up. */
export interface TcpListener {
  /** @returns the port, also when the system chose it. @throws the system's error when the address cannot be had. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no new connections; settles when there are none any more. */
  close(): Promise<void>;
  /** Cuts off the connections that there are. */
  hangUp(): void;
}

/** Connections that the kernel keeps until they are accepted; Node's 511 overflow when all sidecars come back at once. */
const BACKLOG = 4096;
/** How long new connections are taken before other work has its turn. */
const TURN_MS = 10;

/** @param take called with each connection */
export function createTcpListener(take: (socket: Socket) => void): TcpListener {
  const sockets = new Set<Socket>();
  // Node accepts all connections that wait before it does anything else: a burst of them would hold up the others.
  let waiting: Socket[] = [];
  const takeWaiting = (): void => {
    const turn = waiting;
    const untilMs = performance.now() + TURN_MS;
    let taken = 0;
    while (taken < turn.length && performance.now() < untilMs) {
      const socket = turn[taken++];
      if (socket?.destroyed === false) take(socket);
    }
    waiting = turn.slice(taken);
    if (waiting.length > 0) setImmediate(takeWaiting);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Its peer may reset it before it is taken.
    socket.on('error', () => undefined);
    if (waiting.push(socket) === 1) setImmediate(takeWaiting);
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        // Without a host, IPv4 is listened on where a machine has no IPv6.
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
