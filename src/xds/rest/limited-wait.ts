import { type Clock, MAX_TIMER_MS } from '../../base/clock.js';

/** A wait for a condition that may never come, which therefore has a limit. */
export class LimitedWait {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onOver: () => void;
  #cancel: (() => void) | undefined;
  #isOver = false;

  /**
   * @param limitMs 0 means no limit
   * @param onOver called when a wait reaches the limit
   */
  constructor(clock: Clock, limitMs: number, onOver: () => void) {
    this.#clock = clock;
    this.#limitMs = Math.min(limitMs, MAX_TIMER_MS);
    this.#onOver = onOver;
  }

  /** Whether a wait has begun and not ended: it may be over. */
  get isBegun(): boolean {
    return this.#cancel !== undefined || this.#isOver;
  }

  /**
   * Begins or continues a wait while it is needed, and ends it once it is not.
   *
   * @returns whether to wait: it is needed, and the limit is not reached
   */
  check(isNeeded: boolean): boolean {
    if (!isNeeded) {
      this.#cancel?.();
      this.#cancel = undefined;
      this.#isOver = false;
      return false;
    }
    if (!this.#isOver && this.#limitMs > 0) {
      this.#cancel ??= this.#clock.schedule(this.#limitMs, () => {
        this.#isOver = true;
        this.#onOver();
      });
    }
    return !this.#isOver;
  }
}
