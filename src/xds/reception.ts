/** How a request was taken. */
export interface Reception {
  /** What it counts for in the stream's rate: 1, and more when it has names that are not known from earlier. */
  readonly cost: number;
  /** Undefined when it is dealt with; else settles when it is, and the next request may be given then. */
  readonly finished: Promise<void> | undefined;
}
