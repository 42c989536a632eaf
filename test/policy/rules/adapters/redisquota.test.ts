import type { ExecutionContext } from 'ava';
import { systemClock } from '../../../../src/base/clock.js';
import { eventually } from '../../../support/eventually.js';
import { redisAddress } from '../../../support/redis-store.js';
import { type RedisContext, redisTests } from '../../../support/redis-tests.js';
import { FAIL_CLOSE, FAIL_OPEN } from '../rule-rig.js';
import { createAdapterRig } from './adapter-rig.js';

const { redisTest, startAnother } = redisTests();

/** A policy server with a quota, closed when the test ends. Counters of handlers with other names are others. */
function createServer(
  t: ExecutionContext<RedisContext>,
  name: string,
  quota: string,
  allowed: readonly string[] = ['127.0.0.1'],
) {
  const rig = createAdapterRig(systemClock, allowed);
  t.teardown(() => rig.handler.close());
  const { host, port } = redisAddress(t.context.redis);
  rig.apply(`rule shop/r {actions: [{handler: ${name}, instances: [requests]}]}
    handler shop/${name} {compiledAdapter: redisquota, params: {redisServerUrl: '${host}:${port}', quotas: [{name: requests, ${quota}}]}}
    instance shop/requests {compiledTemplate: quota, params: {dimensions: {path: request.path}}}`);
  const code = async (path = '/', failPolicy: typeof FAIL_OPEN | typeof FAIL_CLOSE = FAIL_CLOSE) =>
    (await rig.check({ 'request.path': path }, 'requests', failPolicy)).status.code;
  return { ...rig, code };
}

/** The same, when Redis is reached. */
async function openServer(...wanted: Parameters<typeof createServer>) {
  const server = createServer(...wanted);
  await eventually('Redis is reached', async () => (await server.code('/reached')) !== 'UNAVAILABLE');
  return server;
}

const TEN = 'maxAmount: 10, validDuration: 1h';

redisTest('a quota of 10 grants exactly 10 to 50 concurrent callers of one and of three servers', async (t) => {
  for (const servers of [1, 3]) {
    const opened = await Promise.all(Array.from({ length: servers }, () => openServer(t, `exact-${servers}`, TEN)));
    const codes = await Promise.all(Array.from({ length: 50 }, (_, index) => opened[index % servers]?.code()));
    t.is(codes.filter((code) => code === 'OK').length, 10);
    t.is(codes.filter((code) => code === 'RESOURCE_EXHAUSTED').length, 40);
  }
});

redisTest('each combination of dimensions is counted apart, by the first override that applies', async (t) => {
  const overrides =
    'overrides: [{dimensions: {path: /small}, maxAmount: 1}, {dimensions: {path: /small}, maxAmount: 5}]';
  const { code } = await openServer(t, 'overrides', `maxAmount: 2, validDuration: 1h, ${overrides}`);
  const codes = async (path: string) => [await code(path), await code(path), await code(path)];
  t.deepEqual(await codes('/a'), ['OK', 'OK', 'RESOURCE_EXHAUSTED']);
  t.deepEqual(await codes('/small'), ['OK', 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED']);
});

redisTest('a rolling window frees what was used when its step has passed, a fixed one when it ends', async (t) => {
  const rolling = 'maxAmount: 1, validDuration: 300ms, bucketDuration: 100ms, rateLimitAlgorithm: ROLLING_WINDOW';
  for (const [name, quota] of [
    ['rolling', rolling],
    ['fixed', 'maxAmount: 1, validDuration: 300ms'],
  ] as const) {
    const { code } = await openServer(t, name, quota);
    t.is(await code(), 'OK');
    await eventually(`${name} refuses`, async () => (await code()) === 'RESOURCE_EXHAUSTED');
    await eventually(`${name} grants again`, async () => (await code()) === 'OK');
  }
});

redisTest('while Redis is killed the fail policy decides; restarted, it counts exactly again', async (t) => {
  const redis = await startAnother();
  t.teardown(() => redis.stop());
  const own = { ...t, context: { redis } } as ExecutionContext<RedisContext>;
  const servers = await Promise.all(Array.from({ length: 3 }, () => openServer(own, 'killed', TEN)));
  const [first] = servers;
  t.is(await first?.code(), 'OK');
  await redis.stop();
  await eventually('a request gets no answer of Redis', async () => (await first?.code()) === 'UNAVAILABLE');
  t.is(await first?.code('/', FAIL_OPEN), 'OK');
  await redis.start();
  for (const { code } of servers) {
    await eventually('Redis is reached', async () => (await code('/other')) !== 'UNAVAILABLE');
  }
  const codes = await Promise.all(Array.from({ length: 50 }, (_, index) => servers[index % 3]?.code()));
  t.is(codes.filter((code) => code === 'OK').length, 10);
});

redisTest('a handler cannot name a Redis at an address that egress rules refuse', async (t) => {
  const { code, logger } = createServer(t, 'refused', TEN, []);
  t.is(await code(), 'UNAVAILABLE');
  const [warning] = logger.records;
  t.deepEqual(
    [warning?.message, warning?.fields['reason'], warning?.fields['owner']],
    [
      'quotas not counted: Redis unreachable',
      'its address is not allowed: 127.0.0.1 is an address of this machine',
      'handler/shop/refused',
    ],
  );
});

redisTest('the connection of a handler is counted until the handler is closed', async (t) => {
  const { code, series, apply } = await openServer(t, 'counted', TEN);
  t.is(await code(), 'OK');
  t.deepEqual(await series('policy_handler_daemons_total{'), [
    'policy_handler_daemons_total{handler="handler/shop/counted"} 1',
  ]);
  apply('');
  await eventually('it is closed', async () => (await series('policy_handler_daemons_total{')).length === 0);
});
