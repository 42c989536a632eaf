import test from 'ava';
import type { ServiceConfig } from '../../../../src/config/policy/client-config.js';
import { MAX_BUCKETS_PER_PROXY } from '../../../../src/policy/quota/shares/quota-shares.js';
import { EnvoyMessageError } from '../../../../src/policy/server/envoy-codec.js';
import { bucketIdOf } from '../../../../src/policy/wire/quota-buckets.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createSharesRig, limitOf } from '../../quota/shares/simulated-proxies.js';
import { createRig } from '../policy-server-rig.js';
import { type Report, readActions, reportsBytes } from './share-messages.js';

const WEB = 'web.default.svc.cluster.local';
const CHARGED: Partial<ServiceConfig> = {
  quotaSpec: [{ enforcement: 'fast', rules: [{ match: [], quotas: [{ quota: 'requests', charge: 2 }] }] }],
};

/** One proxy with a stream to a policy server. */
function openStream({ reads = true }: { readonly reads?: boolean } = {}) {
  const clock = createFakeClock();
  const shares = createSharesRig([limitOf()], { clock });
  const rig = createRig({ clock, shares: () => shares.shares, services: { [WEB]: CHARGED, exact: {} } });
  const sent: Buffer[] = [];
  let takes = reads;
  const stream = rig.server.openShareStream({ type: 'anonymous' }, (bytes) => {
    sent.push(bytes);
    return takes;
  });
  return {
    ...{ clock, rig, shares, stream, sent },
    take: (...reports: readonly Report[]) => stream.take(reportsBytes(reports)),
    /** All that the proxy was told, in order. */
    told: async () => {
      await settle();
      return sent.flatMap(readActions);
    },
    read: () => {
      takes = true;
      stream.resume();
    },
    refusals: () => rig.series('policy_server_fast_refused_buckets_total{reason="id"}'),
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

const idOf = (amount = 2, dimensions: Readonly<Record<string, string>> = {}, service = WEB) => ({
  ...bucketIdOf({ type: 'quotas', service, charges: new Map([['requests', amount]]) }),
  ...dimensions,
});

test('a report is answered with tokens for the bucket, filled at once', async (t) => {
  const { take, told } = openStream();
  await take({ id: idOf(), allowed: 1 });
  t.deepEqual(
    (await told()).map(({ id, type }) => [id, type]),
    [
      [idOf(), 'deny'],
      [idOf(), 'tokens'],
    ],
  );
});

test('buckets that no fast rule charges so get nothing, and the metric counts them', async (t) => {
  const { take, told, rig } = openStream();
  await take(
    { id: idOf(3), allowed: 1 },
    { id: idOf(2, {}, 'exact'), allowed: 1 },
    { id: idOf(2, {}, 'unknown'), allowed: 1 },
    { id: bucketIdOf({ type: 'guard', service: 'exact' }), allowed: 1 },
  );
  t.deepEqual(await told(), []);
  t.is(
    await rig.series('policy_server_fast_refused_buckets_total{reason="charges"}'),
    'policy_server_fast_refused_buckets_total{reason="charges"} 4',
  );
});

test('the guard of a service with fast quotas is answered while the store answers', async (t) => {
  const { take, told } = openStream();
  const guard = bucketIdOf({ type: 'guard', service: WEB });
  await take({ id: guard, allowed: 1 });
  t.deepEqual(await told(), [{ id: guard, type: 'allow' }]);
});

test('ids without form, with too many parts or too long get nothing, and cost the others nothing', async (t) => {
  const { take, told, rig } = openStream();
  const parts = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d.${index}`, 'x']));
  await take(
    { id: {}, allowed: 1 },
    { id: idOf(2, parts), allowed: 1 },
    { id: idOf(2, { 'request.api_key': 'k'.repeat(9000) }), allowed: 1 },
    { id: idOf(2, { 'request.api_key': 'k'.repeat(90_000) }), allowed: 1 },
    { id: idOf(), allowed: 1 },
  );
  t.deepEqual([...new Set((await told()).map(({ id }) => JSON.stringify(id)))], [JSON.stringify(idOf())]);
  t.is(
    await rig.series('policy_server_fast_refused_buckets_total{reason="id"}'),
    'policy_server_fast_refused_buckets_total{reason="id"} 4',
  );
});

for (const bytes of [Buffer.from([0x12, 0x05, 1]), Buffer.from([0x13]), Buffer.from([0x12, 2, 0x0a, 9])]) {
  test(`bytes that are no reports end the stream: ${bytes.toString('hex')}`, async (t) => {
    const { stream } = openStream();
    await t.throwsAsync(stream.take(bytes), { instanceOf: EnvoyMessageError });
  });
}

test('a message of a million empty reports is decoded at the pace of a proxy, not as a whole', async (t) => {
  const { stream, clock, rig } = openStream();
  const taking = stream.take(Buffer.alloc(2_000_000, Buffer.from([0x12, 0])));
  for (let turn = 0; turn < 2000; turn++) await Promise.resolve();
  const refused = await rig.series('policy_server_fast_refused_buckets_total{reason="id"}');
  t.true(Number(refused?.split(' ')[1]) <= 10_032, refused);
  stream.close();
  clock.advance(1000);
  await taking;
});

test('reports beyond the pace of a proxy are read later, and none is lost', async (t) => {
  const { take, clock, shares } = openStream();
  const reports = Array.from({ length: 64 }, () => ({ id: idOf(), allowed: 1 }));
  let taken = 0;
  const takeAll = async (): Promise<void> => {
    for (let message = 0; message < 200; message++) {
      await take(...reports);
      taken++;
    }
  };
  const taking = takeAll();
  for (let turn = 0; turn < 50_000; turn++) await Promise.resolve();
  t.true(taken >= 150 && taken <= 160, `${taken} messages of 64 reports at once`);
  for (let passed = 0; passed < 30 && taken < 200; passed++) {
    clock.advance(100);
    for (let turn = 0; turn < 5000; turn++) await Promise.resolve();
  }
  await taking;
  t.is(taken, 200);
  t.is(shares.counts.buckets, 1);
});

test('a proxy that does not read is sent nothing more, and its reports wait', async (t) => {
  const { take, told, read } = openStream({ reads: false });
  await take({ id: idOf(), allowed: 1 });
  const first = await told();
  t.is(first.length, 2);
  let isTaken = false;
  const taking = take({ id: idOf(2, { 'request.api_key': 'late' }), allowed: 1 }).then(() => {
    isTaken = true;
  });
  t.is((await told()).length, 2);
  t.false(isTaken);
  read();
  await taking;
  t.true((await told()).slice(2).some(({ id }) => id['request.api_key'] === 'late'));
});

test('a closed stream gives its buckets back, also those of a report on its way', async (t) => {
  const { take, stream, shares } = openStream();
  await take({ id: idOf(), allowed: 1 });
  const taking = take({ id: idOf(2, { 'request.api_key': 'late' }), allowed: 1 });
  stream.close();
  await taking;
  t.is(shares.counts.buckets, 0);
  t.is(shares.counts.proxies, 0);
});

test('a proxy that invents keys has a bounded number of buckets, and is told to forget the others', async (t) => {
  const { take, told, shares, clock } = openStream();
  const count = MAX_BUCKETS_PER_PROXY + 40;
  const keys = Array.from({ length: count }, (_, index) => idOf(2, { 'request.api_key': `k${index}` }));
  await take(...keys.map((id) => ({ id, allowed: 1 })));
  clock.advance(1000);
  t.is(shares.counts.buckets, MAX_BUCKETS_PER_PROXY);
  t.is((await told()).filter(({ type }) => type === 'abandon').length, 40);
});
