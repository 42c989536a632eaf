/** The counters of quotas in this process, or in the Redis that it counts in. */
export interface QuotaCounters {
  readonly storage: 'memory' | 'redis';
  /** Rejects when the storage cannot be reached; the message has the reason. */
  use(): Promise<readonly QuotaUse[]>;
  /**
   * Sets a counter to zero.
   *
   * @returns false if `use` does not list it any more
   */
  reset(quota: string, id: string): Promise<boolean>;
}

/** The live use of a quota. */
export interface QuotaUse {
  readonly quota: string;
  readonly maxAmount: number;
  readonly validDurationMs: number;
  readonly window: 'fixed' | 'rolling';
  /** The largest amounts first; not all, if there are many. */
  readonly keys: readonly KeyUse[];
  /** All counters with an amount; undefined if the storage knows only some of them. */
  readonly counters: number | undefined;
}

/** The live use of one key. */
export interface KeyUse {
  readonly id: string;
  /** By dimension; credentials are hashed. */
  readonly values: Readonly<Record<string, string>>;
  readonly used: number;
  readonly maxAmount: number;
}
