import type { AddressInfo, Server, Socket } from 'node:net';
import type { ServeOptions } from './calls.js';

export interface RunningServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Listens, and remembers connections so that stopping ends them too. */
export function listen(server: Server, { port, address = '0.0.0.0' }: ServeOptions): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: () =>
          new Promise<void>((stopped) => {
            server.close(() => stopped());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}
