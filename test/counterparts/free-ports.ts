import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to servers that ask for any port: until the port is used, another test
 * could get one of those.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const MAX_ATTEMPTS = 100;

/**
 * Marks a port as that of this process until it ends, because programs that get a port may open it seconds later. The mark
 * is a name of Linux for a socket, which one process at a time can have.
 *
 * @returns whether no other process has it
 */
function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    createServer()
      .unref()
      .once('error', () => resolve(false))
      .listen(`\0navigator-test-port-${port}`, () => resolve(true));
  });
}

/** Loopback ports that nothing listens on at present. No two of them are the same, nor those of tests that run meanwhile. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    for (let attempt = 0; ports.length < count; attempt++) {
      const port = randomInt(FIRST_PORT, LAST_PORT + 1);
      const server = createServer();
      try {
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject).listen(port, '127.0.0.1', resolve);
        });
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS) throw error;
        continue;
      }
      servers.push(server);
      if (await claim(port)) ports.push(port);
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
