/** The newest response of a type: whether it has left this process, and whether the proxy has answered it. */
export class OutstandingResponse {
  #isUnanswered = false;
  #isWriting = false;
  /** When it left this process, on the monotonic clock. */
  #writtenMs = 0;
  #isOverdue = false;
  #hasNew = false;

  /** It is neither acknowledged nor rejected. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** The proxy has not answered it in time. The next response goes out without the answer. */
  get isOverdue(): boolean {
    return this.#isUnanswered && this.#isOverdue;
  }

  /** The proxy still has time to answer it. */
  get isAwaited(): boolean {
    return this.#isUnanswered && !this.#isOverdue;
  }

  /** The proxy has not acknowledged resources that are new to it. */
  get isAddingResources(): boolean {
    return this.#hasNew && this.isAwaited;
  }

  /**
   * Whether the next response may be sent: the proxy has read and answered this one, or had the time to. A client that
   * asks again without reading gets no second buffer.
   */
  get allowsNext(): boolean {
    return !this.#isWriting && !this.isAwaited;
  }

  /** When the proxy got the response that it has not answered; undefined if there is none, or it had its time. */
  get unansweredSinceMs(): number | undefined {
    return this.isAwaited && !this.#isWriting ? this.#writtenMs : undefined;
  }

  /** A response is being written. @param hasNew whether it has resources that the proxy does not have */
  begin(hasNew: boolean): void {
    this.#hasNew = hasNew;
    this.#isUnanswered = true;
    this.#isWriting = true;
    this.#isOverdue = false;
  }

  /** It has left this process, or never will. */
  written(nowMs: number): void {
    this.#isWriting = false;
    this.#writtenMs = nowMs;
  }

  /** The proxy has answered it, or has dropped it. */
  answered(): void {
    this.#isUnanswered = false;
  }

  /** Stops waiting for the answer. */
  stopWaiting(): void {
    this.#isOverdue = true;
  }
}
