import type { Clock } from '../../base/clock.js';
import type { RedisStorage } from '../../config/policy-server/policy-server-config.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import { type Logger, withFields } from '../../telemetry/logger.js';
import type { QuotaStore } from './quota-store.js';
import type { ConnectToRedis } from './redis/redis-session.js';
import { createRedisStore } from './redis/redis-store.js';

/** Opens the Redis that an object of the mesh names. @param owner key of the object, for the log */
export type OpenNamedStore = (storage: RedisStorage, owner: string) => QuotaStore;

export interface NamedStoreDependencies {
  readonly clock: Clock;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** Refuses addresses that objects may not name. */
  readonly connect: ConnectToRedis;
}

export function createNamedStoreOpener({ clock, logger, connect }: NamedStoreDependencies): OpenNamedStore {
  return (storage, owner) => {
    // The owner of the Redis decides how often its state changes.
    const log = createLimitedLog(withFields(logger, { owner }), clock);
    return createRedisStore({ storage, clock, random: Math.random, logger: log, connect });
  };
}
