import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to servers that ask for any port: until the port is used, another test
 * could get one of those.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const MAX_ATTEMPTS = 100;

/** Loopback ports that nothing listens on at present. All are held until the last is found, so they differ. */
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
      ports.push(port);
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
