import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Flood {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Sent first on each connection. */
  readonly opening: Uint8Array;
  /** Sent repeatedly, as fast as the server reads. @param round counts from 0 on each connection */
  readonly packet: (round: number) => Uint8Array;
}

/** Floods from several connections at once; a closed connection is opened again. */
export async function flood(
  { host, port, connections, opening, packet }: Flood,
  durationMs: number,
  signal: AbortSignal,
): Promise<string> {
  let sentBytes = 0;
  let closed = 0;
  let isOver = false;
  const sockets = new Set<Socket>();
  const open = (): void => {
    if (isOver) return;
    const socket = connect(port, host);
    sockets.add(socket);
    let round = 0;
    const send = (): void => {
      if (isOver || socket.destroyed) return;
      const bytes = packet(round++);
      sentBytes += bytes.length;
      socket.write(bytes, () => setImmediate(send));
    };
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      socket.write(opening);
      send();
    });
    socket.resume();
    socket.on('close', () => {
      sockets.delete(socket);
      if (isOver) return;
      closed++;
      setTimeout(open, 10);
    });
  };
  for (let count = 0; count < connections; count++) open();
  await delay(durationMs, undefined, { signal }).catch(() => undefined);
  isOver = true;
  for (const socket of sockets) socket.destroy();
  return `${connections} connections: ${Math.round(sentBytes / 2 ** 20)} MiB sent, ${closed} closed by the server`;
}
