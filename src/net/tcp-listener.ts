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

/** @param take called with each connection */
export function createTcpListener(take: (socket: Socket) => void): TcpListener {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    take(socket);
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        // Without a host, IPv4 is listened on where a machine has no IPv6.
        server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
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
