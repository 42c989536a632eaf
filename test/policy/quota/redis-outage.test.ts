import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { QuotaStore } from '../../../src/policy/quota/quota-store.js';
import { findFreePorts } from '../../counterparts/free-ports.js';
import { type RedisServer, requireRedis, startRedis } from '../../counterparts/redis-server.js';
import { type ChargeOptions, chargeOf, chargeStore, grantedBy } from '../../support/charge-store.js';
import { eventually } from '../../support/eventually.js';
import { openTestSession, openTestStore, redisAddress } from '../../support/redis-store.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';

const redisBinary = requireRedis();
const redisTest = 'value' in redisBinary ? test : test.skip;
/** Not beside the other tests of this process. */
const lonelyTest = 'value' in redisBinary ? test.serial : test.serial.skip;

/** A Redis of the test's own. */
async function ownRedis(t: ExecutionContext, args: readonly string[] = []): Promise<RedisServer> {
  if ('missing' in redisBinary) throw new Error(redisBinary.missing);
  const redis = await startRedis({ binary: redisBinary.value, port: 0, args });
  t.teardown(() => redis.stop());
  return redis;
}

async function temporaryFile(t: ExecutionContext, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-redis-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'content');
  await writeFile(file, content);
  return file;
}

const LONG: ChargeOptions = { durationMs: 86_400_000 };

async function failureOf(store: QuotaStore): Promise<{ failure?: string; message?: string }> {
  try {
    await grantedBy(store, LONG);
    return {};
  } catch (error) {
    return error as { failure: string; message: string };
  }
}

redisTest('a Redis that is killed makes every charge reject at once; restarted, it counts again', async (t) => {
  const redis = await ownRedis(t);
  const { store, changes, logger } = openTestStore(t, redis);
  t.is(await grantedBy(store, LONG), 1);
  t.true(store.isUp());

  await redis.stop();
  await eventually('the loss is seen', () => !store.isUp());
  for (let n = 0; n < 100; n++) {
    const { failure, message } = await failureOf(store);
    t.is(failure, 'send');
    t.regex(message ?? '', /^The Redis that counts quotas cannot be reached: /);
  }
  t.deepEqual(changes.slice(0, 2), [true, false]);
  const warnings = logger.records.filter(({ level }) => level === 'warn');
  t.true(warnings.length >= 1 && warnings.length <= 3, 'an outage is told, its attempts are not');

  await redis.start();
  await eventually('it counts again', () => store.isUp());
  t.is(await grantedBy(store, { ...LONG, amount: 10 }), 10, 'what was used went with the Redis that was killed');
  t.is(await grantedBy(store, LONG), 0);
  t.is(changes.at(-1), true);
});

redisTest('charges on their way when the store is closed are answered', async (t) => {
  const redis = await ownRedis(t);
  const { store } = openTestStore(t, redis);
  await grantedBy(store, LONG);
  redis.signal('SIGSTOP');
  const granted = Promise.all(Array.from({ length: 5 }, () => grantedBy(store, LONG)));
  const closed = store.close();
  redis.signal('SIGCONT');
  t.deepEqual(await granted, [1, 1, 1, 1, 1]);
  await closed;
  t.false(store.isUp());
});

redisTest('charges on their way when Redis is killed reject, and do not wait for their deadline', async (t) => {
  const redis = await ownRedis(t);
  const { store } = openTestStore(t, redis);
  await grantedBy(store, LONG);
  redis.signal('SIGSTOP');
  const outcomes = Promise.all(Array.from({ length: 20 }, () => failureOf(store)));
  await redis.stop();
  t.true((await outcomes).every(({ failure }) => failure === 'send'));
});

redisTest(
  'a Redis that hangs is given up after the timeout; then charges reject at once until it answers',
  async (t) => {
    const redis = await ownRedis(t);
    const { store } = openTestStore(t, redis, { timeoutMs: 200 });
    await eventually('it is connected', () => store.isUp());
    redis.signal('SIGSTOP');
    const startedMs = performance.now();
    const { failure, message } = await failureOf(store);
    t.true(performance.now() - startedMs >= 199);
    t.true(failure === 'timeout' || failure === 'send', message);
    await eventually('it is given up', () => !store.isUp());
    t.is((await failureOf(store)).failure, 'send');
    redis.signal('SIGCONT');
    await eventually('it counts again', async () => store.isUp() && (await failureOf(store)).failure === undefined);
  },
);

redisTest('a charge whose answer was lost is known when it is repeated', async (t) => {
  const redis = await ownRedis(t);
  const { store: hasty, keyPrefix } = openTestStore(t, redis, { timeoutMs: 300 });
  await eventually('it is connected', () => hasty.isUp());
  redis.signal('SIGSTOP');
  const charges = [chargeOf({ ...LONG, amount: 6 })];
  await t.throwsAsync(chargeStore(hasty, charges, 'request-7'), { name: 'PolicyTransportError' });
  redis.signal('SIGCONT');
  const { store } = openTestStore(t, redis, { keyPrefix });
  const repeated = await chargeStore(store, charges, 'request-7');
  t.is(repeated.results[0]?.granted, 6);
  t.is(await grantedBy(store, { ...LONG, amount: 4 }), 4, 'charged once, whether or not the lost one arrived');
  t.is(await grantedBy(store, LONG), 0);
});

redisTest('a Redis that is not there when the server starts is told, and used once it comes', async (t) => {
  const redis = await ownRedis(t);
  await redis.stop();
  const { store, logger } = openTestStore(t, redis);
  const { failure, message } = await failureOf(store);
  t.is(failure, 'send');
  t.regex(message ?? '', /ECONNREFUSED/);
  t.false(store.isUp());
  const [warning] = logger.records;
  t.is(warning?.message, 'quotas not counted: Redis unreachable');
  t.is(warning?.fields['redis'], redis.url.replace('redis://', ''));
  await redis.start();
  await eventually('it is used', () => store.isUp());
  t.is(await grantedBy(store, LONG), 1);
});

redisTest('a charge that comes before the first connection waits for it', async (t) => {
  const redis = await ownRedis(t);
  const { store } = openTestStore(t, redis);
  t.false(store.isUp());
  t.is(await grantedBy(store, LONG), 1);
});

redisTest('a password comes from the address, or from a file that is read at every connect', async (t) => {
  const redis = await ownRedis(t, ['--requirepass', 's3cret word']);
  const address = redisAddress(redis);
  const { store: inAddress } = openTestStore(t, redis, { address: { ...address, password: () => 's3cret word' } });
  t.is(await grantedBy(inAddress, LONG), 1);

  const passwordFile = await temporaryFile(t, 'wrong\n');
  const { store, logger } = openTestStore(t, redis, { passwordFile });
  t.regex((await failureOf(store)).message ?? '', /WRONGPASS/);
  await writeFile(passwordFile, 's3cret word\n');
  await eventually('the new password is used', () => store.isUp());
  t.is(await grantedBy(store, LONG), 1);
  t.notRegex(JSON.stringify(logger.records), /s3cret/);
});

redisTest('a password that is missing, and a password file that is, are told', async (t) => {
  const redis = await ownRedis(t, ['--requirepass', 's3cret']);
  t.regex((await failureOf(openTestStore(t, redis).store)).message ?? '', /NOAUTH/);
  const { store } = openTestStore(t, redis, { passwordFile: '/nowhere/password' });
  t.regex((await failureOf(store)).message ?? '', /ENOENT/);
});

redisTest('a user that may only count is enough', async (t) => {
  const redis = await ownRedis(t);
  const admin = await openTestSession(t, redis);
  const rights = ['~{quota}*', '-@all', '+auth', '+select', '+script|load', '+exists', '+evalsha', '+eval'];
  const used = ['+get', '+set', '+time', '+hgetall', '+hdel', '+hincrby', '+pexpire'];
  await admin.command('ACL', 'SETUSER', 'counter', 'on', '>pass', ...rights, ...used);
  const address = { ...redisAddress(redis), username: 'counter', password: () => 'pass', database: 3 };
  const { store } = openTestStore(t, redis, { address, keyPrefix: 'quota' });
  const { results } = await chargeStore(store, [chargeOf(LONG)], 'request-7');
  t.is(results[0]?.granted, 1);
  await admin.command('SELECT', 3);
  t.is(Number(await admin.command('DBSIZE')), 2, 'in the database of the address');
});

redisTest('a database that is not there is told, and nothing is counted elsewhere', async (t) => {
  const redis = await ownRedis(t);
  const { store } = openTestStore(t, redis, { address: { ...redisAddress(redis), database: 99 } });
  t.regex((await failureOf(store)).message ?? '', /DB index is out of range/);
});

redisTest('a replica, which cannot be written to, is given up', async (t) => {
  const primary = await ownRedis(t);
  const { port } = redisAddress(primary);
  const replica = await ownRedis(t, ['--replicaof', '127.0.0.1', String(port)]);
  const { store } = openTestStore(t, replica);
  await eventually('it has seen', async () => /READONLY/.test((await failureOf(store)).message ?? ''));
  const admin = await openTestSession(t, replica);
  await admin.command('REPLICAOF', 'NO', 'ONE');
  await eventually('promoted, it counts', async () => (await failureOf(store)).failure === undefined);
  t.true(store.isUp());
});

redisTest('in a cluster the node that holds the keys is found, also when they move', async (t) => {
  const cluster = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'navigator-redis-'));
    t.teardown(() => rm(folder, { recursive: true }));
    return ownRedis(t, ['--cluster-enabled', 'yes', '--dir', folder]);
  };
  const [first, second] = [await cluster(), await cluster()];
  const [one, two] = [await openTestSession(t, first), await openTestSession(t, second)];
  await two.command('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  await one.command('CLUSTER', 'MEET', '127.0.0.1', redisAddress(second).port);
  for (const node of [one, two]) {
    const isFormed = async () => /cluster_state:ok/.test(String(await node.command('CLUSTER', 'INFO')));
    await eventually('the cluster is formed', isFormed);
  }

  const { store, keyPrefix } = openTestStore(t, first);
  t.is(await grantedBy(store, LONG), 1, 'asked at a node that holds nothing');
  t.is(Number(await two.command('DBSIZE')), 1);

  await two.command('FLUSHALL');
  const slot = Number(await one.command('CLUSTER', 'KEYSLOT', `{${keyPrefix}}`));
  const taker = String(await one.command('CLUSTER', 'MYID'));
  await one.command('CLUSTER', 'SETSLOT', slot, 'NODE', taker);
  await one.command('CLUSTER', 'BUMPEPOCH');
  await two.command('CLUSTER', 'SETSLOT', slot, 'NODE', taker);
  await eventually('the keys are found where they went', async () => (await failureOf(store)).failure === undefined);
  t.is(Number(await one.command('DBSIZE')), 1);
});

redisTest('rediss:// asks over TLS, and only a Redis with a trusted certificate', async (t) => {
  const { certificate, key } = createSelfSignedCertificate();
  const caFile = await temporaryFile(t, certificate);
  const [port = 0] = await findFreePorts(1);
  const redis = await ownRedis(t, [
    ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', caFile, '--tls-key-file', await temporaryFile(t, key), '--tls-ca-cert-file', caFile],
  ]);
  const address = { ...redisAddress(redis), port, isTls: true };
  const { store } = openTestStore(t, redis, { address, caFile });
  t.is(await grantedBy(store, LONG), 1);
  const { store: distrusting } = openTestStore(t, redis, { address });
  t.regex((await failureOf(distrusting)).message ?? '', /self-signed certificate/);
  t.false(distrusting.isUp());
});

lonelyTest('a process that stalls for longer than the timeout does not take that for an outage of Redis', async (t) => {
  const redis = await ownRedis(t);
  // So long that Redis itself hardly ever stalls for it.
  const { store, changes } = openTestStore(t, redis, { timeoutMs: 2000 });
  await eventually('the store is connected', () => store.isUp());
  for (let n = 0; n < 3; n++) {
    const granted = grantedBy(store, LONG);
    // In a phase of the event loop behind which timers come before anything is read.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    t.is(await granted, 1);
  }
  t.deepEqual(changes, [true]);
});
