/** The writes of one push of a proxy. A push makes thousands of these, so they are counted instead of awaited one by one. */
export class PendingWrites {
  #open = 0;
  readonly #listeners: (() => void)[] = [];

  /** Another write begins. */
  begin(): void {
    this.#open++;
  }

  /** The bytes of a write have left this process, or its stream has ended. */
  end(): void {
    this.#open--;
    if (this.#open > 0) return;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Calls back when all writes have ended: at once if none is open. */
  whenDone(listener: () => void): void {
    if (this.#open === 0) listener();
    else this.#listeners.push(listener);
  }
}
