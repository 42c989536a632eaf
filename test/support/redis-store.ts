import type { ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import type { RedisAddress, RedisStorage } from '../../src/config/policy-server/policy-server-config.js';
import { parseRedisAddress } from '../../src/config/policy-server/redis-address.js';
import { openRedisSession, type RedisSession } from '../../src/policy/quota/redis/redis-session.js';
import { createRedisStore } from '../../src/policy/quota/redis/redis-store.js';
import type { RedisServer } from '../counterparts/redis-server.js';
import { createRecordingLogger } from './recording-logger.js';

export function redisAddress(redis: RedisServer): RedisAddress {
  const address = parseRedisAddress(redis.url);
  if (address === undefined) throw new Error(redis.url);
  return address;
}

/** A connection of the test's own, closed when the test ends. */
export async function openTestSession(t: ExecutionContext<unknown>, redis: RedisServer): Promise<RedisSession> {
  const session = await openRedisSession(redisAddress(redis), 5000);
  t.teardown(() => session.close());
  return session;
}

/** A store closed when the test ends. Its counters are its own, unless it is given the prefix of another. */
export function openTestStore(t: ExecutionContext<unknown>, redis: RedisServer, storage: Partial<RedisStorage> = {}) {
  const keyPrefix = storage.keyPrefix ?? `test:${process.pid}:${Math.random().toString(36).slice(2)}`;
  const logger = createRecordingLogger();
  const changes: boolean[] = [];
  const store = createRedisStore({
    storage: { type: 'redis', address: redisAddress(redis), timeoutMs: 5000, ...storage, keyPrefix },
    clock: systemClock,
    random: Math.random,
    logger,
    onChange: (isUp) => changes.push(isUp),
  });
  t.teardown(() => store.close());
  return { store, keyPrefix, logger, changes };
}
