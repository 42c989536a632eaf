/** The server in a quiet moment: without changes, without passing clients, and after it collected its garbage. */
export interface SoakSample {
  /** On the monotonic clock. */
  readonly atMs: number;
  readonly heapBytes: number;
  /** Buffers and other memory outside of V8's heap that its objects hold. */
  readonly externalBytes: number;
  readonly residentBytes: number;
  readonly fileDescriptors: number;
}

export interface SoakResult {
  readonly seconds: number;
  readonly changes: number;
  readonly passingClients: number;
  /** Messages that the clients which stay received. */
  readonly receivedBytes: number;
  readonly cpuSeconds: number;
  readonly samples: readonly SoakSample[];
  /** In words: refusals, rejections, internal errors, error lines of the log. */
  readonly errors: readonly string[];
}
