import type { SocketClock } from '../pending-handshakes.js';

/** Streams with too much metadata that an address may open in the window before its connections are closed. */
const TOLERATED = 20;
const WINDOW_MS = 10_000;
const BLOCKED_MS = 1_000;
const MAX_ADDRESSES = 10_000;

interface Offender {
  readonly sinceMs: number;
  count: number;
  blockedUntilMs: number;
}

/**
 * Addresses whose peers repeatedly open streams with too much metadata. Node reads the metadata before any code can
 * reject it, and V8 does not count its memory. Connections of such addresses are therefore closed.
 */
export class HeaderOffenders {
  readonly #clock: SocketClock;
  readonly #byAddress = new Map<string, Offender>();

  constructor(clock: SocketClock) {
    this.#clock = clock;
  }

  /** A peer of the address has opened a stream with too much metadata. */
  record(address: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#byAddress.get(address);
    const offender =
      known !== undefined && nowMs - known.sinceMs < WINDOW_MS
        ? known
        : { sinceMs: nowMs, count: 0, blockedUntilMs: 0 };
    if (++offender.count > TOLERATED) offender.blockedUntilMs = nowMs + BLOCKED_MS;
    this.#byAddress.delete(address);
    this.#byAddress.set(address, offender);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > MAX_ADDRESSES && oldest !== undefined) this.#byAddress.delete(oldest);
  }

  isBlocked(address: string): boolean {
    return (this.#byAddress.get(address)?.blockedUntilMs ?? 0) > this.#clock.monotonicMs();
  }
}
