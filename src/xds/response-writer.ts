import type { Clock } from '../base/clock.js';
import type { WireMessage } from '../envoy/wire-message.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { isHeldMessage } from './limits/held-roots.js';
import type { PeerStream } from './limits/peers.js';
import { LimitError } from './limits/xds-limits.js';
import { StreamError } from './stream-error.js';

/** After this time a write counts as slow (`nav_xds_write_timeout`). */
const SLOW_MS = 5_000;
/** After this time the stream of an unread write ends. */
const STUCK_MS = 60_000;

export interface ResponseWriterParts {
  readonly stream: DiscoveryStream;
  readonly peer: PeerStream;
  readonly metrics: PushMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  connectionId(): string;
  isEnded(): boolean;
  /** Ends the stream. */
  fail(error: StreamError): void;
}

/** A response that has not left this process. */
interface Write {
  readonly type: string;
  readonly message: WireMessage;
  readonly sinceMs: number;
  isSlow: boolean;
}

/** Writes one stream's responses, and watches whether its peer reads them. */
export class ResponseWriter {
  readonly #parts: ResponseWriterParts;
  /** Oldest first. */
  readonly #writes = new Set<Write>();
  #slow = 0;
  /**
   * Cancels the next look at the oldest write. Most writes leave at once, so the timer of one write stays for those
   * after it.
   */
  #cancelLook: (() => void) | undefined;

  constructor(parts: ResponseWriterParts) {
    this.#parts = parts;
  }

  /** @param done called once, when the kernel has the message, or the stream has ended */
  send(type: string, message: WireMessage, done: () => void): void {
    const { stream, peer, clock } = this.#parts;
    const write: Write = { type, message, sinceMs: clock.monotonicMs(), isSlow: false };
    this.#writes.add(write);
    if (isHeldMessage(message)) peer.replace(undefined, message);
    if (this.#cancelLook === undefined) this.#lookIn(SLOW_MS);
    stream.send(message, (error) => {
      this.#written(write, error);
      done();
    });
  }

  /** Forgets the writes of a stream that has ended. */
  stop(): void {
    for (const { message } of this.#writes) if (isHeldMessage(message)) this.#parts.peer.replace(message, undefined);
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  #written(write: Write, err: Error | undefined): void {
    const { peer, metrics, logger, connectionId, isEnded } = this.#parts;
    const { type, message, isSlow } = write;
    this.#writes.delete(write);
    if (isSlow) this.#becameFast();
    if (isHeldMessage(message)) peer.replace(message, undefined);
    if (err === undefined || isEnded()) return;
    metrics.sendFailed(type);
    logger.debug({ connection: connectionId(), type, err }, 'stream ended while a response was being written');
  }

  #lookIn(delayMs: number): void {
    this.#cancelLook = this.#parts.clock.schedule(delayMs, () => this.#look());
  }

  /** Finds writes that the peer has not read in time. */
  #look(): void {
    this.#cancelLook = undefined;
    const { clock, isEnded } = this.#parts;
    const nowMs = clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const write of this.#writes) {
      const waitedMs = nowMs - write.sinceMs;
      if (waitedMs >= SLOW_MS && !write.isSlow) this.#becameSlow(write);
      if (waitedMs >= STUCK_MS) this.#becameStuck(write);
      if (isEnded()) return;
      nextMs = Math.min(nextMs, (write.isSlow ? STUCK_MS : SLOW_MS) - waitedMs);
    }
    if (nextMs !== Number.POSITIVE_INFINITY) this.#lookIn(Math.max(1, nextMs));
  }

  #becameSlow(write: Write): void {
    const { peer, metrics, logger, connectionId, fail } = this.#parts;
    const { type, message } = write;
    write.isSlow = true;
    this.#slow++;
    metrics.writeTimedOut();
    if (!peer.unread()) {
      fail(new LimitError('unreadStreams', 'too many streams of the peer do not read their responses'));
      return;
    }
    // Until it is written, this function keeps the response in the response cache, for other streams.
    logger.warn({ connection: connectionId(), type, bytes: message.byteLength }, 'proxy does not read a response');
  }

  #becameStuck({ type }: Write): void {
    const reason = `a ${type} response was not read within ${STUCK_MS / 1000}s`;
    this.#parts.fail(new StreamError('DEADLINE_EXCEEDED', reason));
  }

  #becameFast(): void {
    this.#slow--;
    if (this.#slow === 0) this.#parts.peer.read();
  }
}
