import { createServer } from 'node:net';
import type { ServeOptions } from './calls.js';
import { listen, type RunningServer } from './running-server.js';

/** A TCP server that returns each piece it receives behind its name: `<name>: <piece>`. */
export function serveTcpEcho(options: ServeOptions): Promise<RunningServer> {
  return listen(
    createServer((socket) => socket.on('data', (piece) => socket.write(`${options.name}: ${piece.toString()}`))),
    options,
  );
}

/** A TCP server that speaks first: `hello from <name>`, then echoes. Protocol sniffing must not wait for the client. */
export function serveGreeter(options: ServeOptions): Promise<RunningServer> {
  return listen(
    createServer((socket) => {
      socket.write(`hello from ${options.name}\n`);
      socket.on('data', (piece) => socket.write(`${options.name}: ${piece.toString()}`));
    }),
    options,
  );
}
