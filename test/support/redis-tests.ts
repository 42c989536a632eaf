import anyTest, { type TestFn } from 'ava';
import { type RedisServer, requireRedis, startRedis } from '../counterparts/redis-server.js';

export interface RedisContext {
  /** Missing where there is no Redis: then tests of `redisTest` do not run. */
  redis: RedisServer;
}

/** The tests of a file that share one Redis. Without it, those of `redisTest` are declared as skipped. */
export function redisTests() {
  const redis = requireRedis();
  const test = anyTest as TestFn<RedisContext>;
  const start = (): Promise<RedisServer> => {
    if ('missing' in redis) throw new Error(redis.missing);
    return startRedis({ binary: redis.value, port: 0 });
  };
  test.before(async (t) => {
    if ('value' in redis) t.context.redis = await start();
  });
  test.after.always(async (t) => {
    await t.context.redis?.stop();
  });
  const hasRedis = 'value' in redis;
  return {
    test,
    redisTest: hasRedis ? test : test.skip,
    /** One after the other. */
    redisTestInTurn: hasRedis ? test.serial : test.skip,
    /** Starts one for a single test, which stops it. */
    startAnother: start,
  };
}
