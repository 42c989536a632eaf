import type { QuotaStorage } from '../../config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../policy/quota/memory/memory-store.js';
import type { QuotaStore } from '../../policy/quota/quota-store.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface QuotaStoreDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Of scope `policy`. */
  readonly logger: Logger;
}

/** Opens the store that the policy server's configuration names. */
export function openQuotaStore(storage: QuotaStorage, { clock }: QuotaStoreDependencies): QuotaStore {
  switch (storage.type) {
    case 'memory':
      return createMemoryStore({ clock, maxCounters: storage.maxCounters });
    case 'redis':
      throw new Error('redis');
  }
}
