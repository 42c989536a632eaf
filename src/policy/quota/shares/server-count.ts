import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type { QuotaStore } from '../quota-store.js';

/** How many policy servers share the counters of a store. */
export interface ServerCount {
  count(): number;
  /** Counts now, and regularly from now on while this server serves proxies. */
  look(): void;
  stop(): void;
}

export interface ServerCountOptions {
  readonly store: () => QuotaStore;
  readonly clock: Clock;
  /** Whether this server serves proxies with fast quotas. */
  readonly isServing: () => boolean;
  readonly onFailed: (error: unknown) => void;
}

const INTERVAL_MS = 5000;

export function createServerCount({ store, clock, isServing, onFailed }: ServerCountOptions): ServerCount {
  const id = randomUUID();
  let known = 1;
  let cancel: (() => void) | undefined;

  const count = async (): Promise<void> => {
    const { countServers } = store();
    if (countServers === undefined) return;
    try {
      known = Math.max(1, await countServers(id));
    } catch (error) {
      onFailed(error);
    }
  };
  const look = (): void => {
    if (cancel !== undefined || !isServing()) return;
    cancel = clock.schedule(INTERVAL_MS, () => {
      cancel = undefined;
      look();
    });
    void count();
  };
  return { count: () => known, look, stop: () => cancel?.() };
}
