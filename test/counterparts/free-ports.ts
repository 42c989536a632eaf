import { randomInt } from 'node:crypto';
import { createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to servers that ask for any port: until the port is used, another test
 * could get one of those.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const MAX_FAILURES = 100;

/** Listens, unless another process does so at that address. */
function listens(server: Server, address: ListenOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server
      .once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(false);
        else reject(error);
      })
      .listen(address, () => resolve(true));
  });
}

/**
 * Marks a port as that of this process until it ends, because programs that get a port may open it seconds later. The mark
 * is an abstract Unix socket, on which one process at a time can listen.
 *
 * @returns whether no other process has it
 */
function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return listens(createServer().unref(), { path: `\0navigator-test-port-${port}` });
}

/** Loopback ports that nothing listens on at present. No two of them are the same, nor those of tests that run meanwhile. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    for (let failures = 0; ports.length < count; ) {
      if (failures === MAX_FAILURES) throw new Error(`${failures} ports from ${FIRST_PORT} to ${LAST_PORT} are in use`);
      const port = randomInt(FIRST_PORT, LAST_PORT + 1);
      const server = createServer();
      const isFree = await listens(server, { port, host: '127.0.0.1' });
      if (isFree) servers.push(server);
      if (isFree && (await claim(port))) ports.push(port);
      else failures++;
    }
    return ports;
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** A loopback port that nothing listens on at present. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port as number;
}
