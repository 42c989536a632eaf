import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free loopback ports. All are held until the last is found, so they differ. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const holders = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const holder of holders) {
    holder.listen(0, '127.0.0.1');
    await once(holder, 'listening');
    ports.push((holder.address() as AddressInfo).port);
  }
  await Promise.all(holders.map((holder) => new Promise((resolve) => holder.close(resolve))));
  return ports;
}
