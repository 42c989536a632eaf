import { type AddressInfo, createServer, type Server } from 'node:net';

/** Loopback ports that nothing listens on at present. All are held until the last is found, so they differ. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    for (let found = 0; found < count; found += 1) {
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(0, '127.0.0.1', resolve);
      });
    }
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
