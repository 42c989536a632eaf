import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { BudgetHolder } from './shared-budget.js';

/** What the frames of a data piece, and the records of TLS, take on the wire beside it; generous. */
const OVERHEAD_BYTES = 128;

/** One HTTP/2 connection, and what its peer has sent that is of no use. */
export class GuardedSession implements BudgetHolder {
  readonly session: ServerHttp2Session;
  readonly #socket: Socket;
  /** The address that limits count by. */
  readonly group: string;
  /** Address and port. */
  readonly peer: string;
  readonly openedMs: number;
  isProven = false;
  /** PING and SETTINGS frames in the running second. */
  controlFrames = 0;
  /** In the running ten seconds. */
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

  /** @param bytes that have come for a stream */
  countStreamBytes(bytes: number): void {
    this.#streamBytes += bytes + OVERHEAD_BYTES;
  }

  /** Bytes that have come since the last call and belong to no stream. */
  takeControlBytes(): number {
    const { bytesRead } = this.#socket;
    const controlBytes = bytesRead - this.#bytesRead - this.#streamBytes;
    this.#bytesRead = bytesRead;
    this.#streamBytes = 0;
    return controlBytes;
  }

  isEnded = false;

  /** Ends the connection at once; the peer is told why as far as HTTP/2 has words for it. */
  end(reason: string): void {
    const { session } = this;
    if (this.isEnded) return;
    this.isEnded = true;
    try {
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from(reason));
    } catch {
      // The connection is ending already.
    }
    // Not the session: Node has been seen to write without end for the streams of a session that it destroys.
    setImmediate(() => this.#socket.destroy());
  }
}
