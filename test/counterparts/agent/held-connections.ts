import { connect, type Socket } from 'node:net';
import { untilClosed } from '../../support/until-closed.js';
import type { HeldConnections as HeldOptions, HeldReport } from './calls.js';

export interface HeldConnections {
  open(options: HeldOptions): Promise<HeldReport>;
  say(text: string): Promise<HeldReport>;
  release(): Promise<HeldReport>;
}

/** Client connections that stay open until they are released. */
export function createHeldConnections(): HeldConnections {
  const sockets = new Set<Socket>();
  let timeoutMs = 30_000;

  const answerOrEnd = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer and no end within ${timeoutMs} ms`)), timeoutMs);
      const settle = (): void => {
        clearTimeout(timer);
        socket.off('data', settle);
        socket.off('close', settle);
        resolve();
      };
      socket.on('data', settle);
      socket.on('close', settle);
    });
  const report = (): HeldReport => {
    const all = [...sockets];
    const open = all.filter(({ closed }) => !closed).length;
    return {
      open,
      closed: all.length - open,
      sentBytes: all.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
      receivedBytes: all.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    };
  };

  return {
    async open(options) {
      timeoutMs = options.timeoutMs ?? timeoutMs;
      const opened = Array.from({ length: options.count }, () => {
        const socket = connect({ host: options.address, port: options.port });
        // A refused or reset connection is a closed one.
        socket.on('error', () => undefined);
        socket.once('connect', () => socket.write(options.send));
        sockets.add(socket);
        return socket;
      });
      await Promise.all(opened.map(answerOrEnd));
      return report();
    },
    async say(text) {
      const open = [...sockets].filter(({ closed }) => !closed);
      const answers = open.map(answerOrEnd);
      for (const socket of open) socket.write(text);
      await Promise.all(answers);
      return report();
    },
    async release() {
      const open = [...sockets].filter(({ closed }) => !closed);
      const ends = open.map((socket) => untilClosed(socket));
      for (const socket of open) socket.end();
      await Promise.all(ends);
      const last = report();
      sockets.clear();
      return last;
    },
  };
}
