import type { Clock } from '../base/clock.js';
import type { WireMessage } from '../envoy/wire-message.js';
import type { PushMetrics } from '../push/push-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import type { DiscoveryStream } from './discovery-stream.js';
import type { HeldRoot } from './limits/held-roots.js';
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
  /** A response was written, or never will be. */
  onWritten(): void;
}

/** Writes one stream's responses, and watches whether its peer reads them. */
export class ResponseWriter {
  readonly #parts: ResponseWriterParts;
  /** Responses that have not left this process. */
  readonly #inFlight = new Set<WireMessage>();
  #slow = 0;

  constructor(parts: ResponseWriterParts) {
    this.#parts = parts;
  }

  /** Reports the responses that are being written. */
  tellHeld(add: (root: HeldRoot) => void): void {
    for (const message of this.#inFlight) add(message);
  }

  /** Settles when the kernel has the message, or the stream has ended; never rejects. */
  async send(type: string, message: WireMessage): Promise<void> {
    const { stream, metrics, clock, logger, connectionId, isEnded } = this.#parts;
    let isSlow = false;
    this.#inFlight.add(message);
    const cancelSlow = clock.schedule(SLOW_MS, () => {
      isSlow = true;
      this.#becameSlow(type, message);
    });
    const cancelStuck = clock.schedule(STUCK_MS, () => {
      const reason = `a ${type} response was not read within ${STUCK_MS / 1000}s`;
      this.#parts.fail(new StreamError('DEADLINE_EXCEEDED', reason));
    });
    try {
      await stream.send(message);
    } catch (err) {
      if (isEnded()) return;
      metrics.sendFailed(type);
      logger.debug({ connection: connectionId(), type, err }, 'stream ended while a response was being written');
    } finally {
      cancelSlow();
      cancelStuck();
      this.#inFlight.delete(message);
      if (isSlow) this.#becameFast();
      this.#parts.onWritten();
    }
  }

  #becameSlow(type: string, { byteLength: bytes }: WireMessage): void {
    const { peer, metrics, logger, connectionId, fail } = this.#parts;
    this.#slow++;
    metrics.writeTimedOut();
    if (!peer.unread()) {
      fail(new LimitError('unreadStreams', 'too many streams of the peer do not read their responses'));
      return;
    }
    // Until it is written, this function keeps the response in the response cache, for other streams.
    logger.warn({ connection: connectionId(), type, bytes }, 'proxy does not read a response');
  }

  #becameFast(): void {
    this.#slow--;
    if (this.#slow === 0) this.#parts.peer.read();
  }
}
