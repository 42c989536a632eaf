import type { Clock } from '../../base/clock.js';
import type { QuotaStorage } from '../../config/policy-server/policy-server-config.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createMemoryStore } from './memory/memory-store.js';
import type { QuotaStore } from './quota-store.js';
import { createRedisStore } from './redis/redis-store.js';

export interface QuotaStoreDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Of scope `policy`. */
  readonly logger: Logger;
}

export type OpenQuotaStore = (storage: QuotaStorage) => QuotaStore;

/** Opens the stores of the configuration. `policy_server_store_up` shows the state of the newest one until it is closed. */
export function createQuotaStoreOpener({ clock, metrics, logger }: QuotaStoreDependencies): OpenQuotaStore {
  let newest = 0;
  return (storage) => {
    const id = ++newest;
    const { type: store } = storage;
    const tell = (isUp: boolean): void => {
      if (id === newest) metrics.set('policy_server_store_up', { store }, isUp ? 1 : 0);
    };
    const opened =
      storage.type === 'memory'
        ? createMemoryStore({ clock, maxCounters: storage.maxCounters })
        : createRedisStore({ storage, clock, random: Math.random, logger, onChange: tell });
    const other = store === 'memory' ? 'redis' : 'memory';
    metrics.remove('policy_server_store_up', { store: other });
    tell(opened.isUp());
    return {
      ...opened,
      close: async () => {
        await opened.close();
        // Without a store that follows, the last state would stay, such as that of a Redis that was unreachable.
        if (id === newest) metrics.remove('policy_server_store_up', { store });
      },
    };
  };
}
