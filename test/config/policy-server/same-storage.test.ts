import test from 'ava';
import type { QuotaStorage, RedisStorage } from '../../../src/config/policy-server/policy-server-config.js';
import { isSameStorage } from '../../../src/config/policy-server/policy-server-config.js';

const redis = (password?: string, changes: Partial<RedisStorage> = {}): QuotaStorage => ({
  type: 'redis',
  address: {
    host: 'redis',
    port: 6379,
    database: 0,
    isTls: false,
    ...(password !== undefined && { password: () => password }),
  },
  keyPrefix: 'quota',
  timeoutMs: 500,
  ...changes,
});

test('storages that were read twice from the same text are the same, also with a password', (t) => {
  t.true(isSameStorage(redis('s3cret'), redis('s3cret')));
  t.true(isSameStorage(redis(), redis()));
  t.true(isSameStorage({ type: 'memory', maxCounters: 10 }, { type: 'memory', maxCounters: 10 }));
});

for (const [what, one, other] of [
  ['another password', redis('s3cret'), redis('changed')],
  ['a password that came', redis(), redis('s3cret')],
  ['another time limit', redis('s3cret'), redis('s3cret', { timeoutMs: 250 })],
  ['another kind', redis(), { type: 'memory', maxCounters: 10 }],
  ['another number of counters', { type: 'memory', maxCounters: 10 }, { type: 'memory', maxCounters: 20 }],
] satisfies readonly (readonly [string, QuotaStorage, QuotaStorage])[]) {
  test(`${what} is another storage`, (t) => t.false(isSameStorage(one, other)));
}
