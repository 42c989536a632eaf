import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ReplyChecker } from './reply-checker.js';

/** A connection whose bytes are checked before the client of Redis reads them. The methods of sockets that it calls exist. */
export class CheckedConnection extends Duplex {
  readonly connecting = false;
  readonly #socket: Socket;

  constructor(socket: Socket, { check }: Pick<ReplyChecker, 'check'>) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      try {
        check(chunk);
      } catch (error) {
        this.destroy(error as Error);
        return;
      }
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  setNoDelay(noDelay?: boolean): this {
    this.#socket.setNoDelay(noDelay);
    return this;
  }

  setKeepAlive(enable?: boolean, initialDelayMs?: number): this {
    this.#socket.setKeepAlive(enable, initialDelayMs);
    return this;
  }

  setTimeout(timeoutMs: number, callback?: () => void): this {
    this.#socket.setTimeout(timeoutMs, callback);
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, callback);
  }

  override _final(callback: () => void): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }
}
