import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { BudgetHolder } from './shared-budget.js';

/** Bytes on the wire beside a piece of data, for its frames and TLS records; a high estimate. */
const OVERHEAD_BYTES = 128;

/** One HTTP/2 connection, with counts of useless bytes and frames from its peer. */
export class GuardedSession implements BudgetHolder {
  readonly session: ServerHttp2Session;
  readonly #socket: Socket;
  /** Key of the limits per address. */
  readonly group: string;
  /** Address and port. */
  readonly peer: string;
  readonly openedMs: number;
  isProven = false;
  /** PING and SETTINGS frames in the current second. */
  controlFrames = 0;
  /** Abandoned streams in the current ten seconds. */
  abandonedStreams = 0;
  #streamBytes = 0;
  #bytesRead = 0;

  constructor(session: ServerHttp2Session, socket: Socket, address: string, openedMs: number) {
    this.session = session;
    this.#socket = socket;
    this.group = address;
    this.openedMs = openedMs;
    const { remoteAddress, remotePort } = socket;
    this.peer = `${remoteAddress}:${remotePort}`;
  }

  /** @param bytes received for a stream */
  countStreamBytes(bytes: number): void {
    this.#streamBytes += bytes + OVERHEAD_BYTES;
  }

  /** Bytes since the last call that belong to no stream. */
  takeControlBytes(): number {
    const { bytesRead } = this.#socket;
    const controlBytes = bytesRead - this.#bytesRead - this.#streamBytes;
    this.#bytesRead = bytesRead;
    this.#streamBytes = 0;
    return controlBytes;
  }

  isEnded = false;

  /** Closes the connection at once. A GOAWAY frame gives the peer the reason. */
  end(reason: string): void {
    const { session } = this;
    if (this.isEnded) return;
    this.isEnded = true;
    try {
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from(reason));
    } catch {
      // The connection is already closing.
    }
    // Closes the socket instead of the session: Node can write endlessly for the streams of a destroyed session.
    setImmediate(() => this.#socket.destroy());
  }
}
