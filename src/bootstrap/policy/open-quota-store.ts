import type { QuotaStorage } from '../../config/policy-server/policy-server-config.js';
import { createMemoryStore } from '../../policy/quota/memory/memory-store.js';
import type { QuotaStore } from '../../policy/quota/quota-store.js';
import { createRedisStore } from '../../policy/quota/redis/redis-store.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface QuotaStoreDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Of scope `policy`. */
  readonly logger: Logger;
}

/** Opens the store that the policy server's configuration names, and keeps `policy_server_store_up` about it. */
export function openQuotaStore(storage: QuotaStorage, dependencies: QuotaStoreDependencies): QuotaStore {
  const { clock, metrics, logger } = dependencies;
  const { type: store } = storage;
  const setUp = (isUp: boolean): void => metrics.set('policy_server_store_up', { store }, isUp ? 1 : 0);
  const opened =
    storage.type === 'memory'
      ? createMemoryStore({ clock, maxCounters: storage.maxCounters })
      : createRedisStore({ storage, clock, random: Math.random, logger, onChange: setUp });
  setUp(opened.isUp());
  return {
    ...opened,
    close: async () => {
      metrics.remove('policy_server_store_up', { store });
      await opened.close();
    },
  };
}
