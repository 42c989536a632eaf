import type { QuotaUse } from '../policy/quota/quota-use.js';

/** The counters of quotas in this process, or in the Redis that it counts in. */
export interface QuotaCounters {
  readonly storage: 'memory' | 'redis';
  /** Rejects when the storage cannot be reached; the message has the reason. */
  use(): Promise<readonly QuotaUse[]>;
  /**
   * Sets a counter to zero. Rejects as `use` does.
   *
   * @returns false if the counter is none of those that are listed now
   */
  reset(quota: string, id: string): Promise<boolean>;
}
