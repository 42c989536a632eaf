import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to an API server that a test can cut, and join again. */
export interface CuttableConnection {
  /** The API server's URL by this way. */
  readonly url: string;
  cut(): void;
  /** From now on nothing is passed on and nothing is answered, as by a firewall. */
  mute(): void;
  join(): void;
  close(): Promise<void>;
}

/** Passes bytes on in both directions, so TLS goes through unseen. */
export async function startCuttableConnection(target: string): Promise<CuttableConnection> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isMuted = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (isCut) {
      incoming.destroy();
      return;
    }
    if (isMuted) return;
    const outgoing = connect(Number(port), hostname);
    keep(outgoing);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      destroyAll();
    },
    mute: () => {
      isMuted = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    join: () => {
      isCut = false;
    },
    close: async () => {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
