import test from 'ava';
import { runChurn } from '../../../bench/kubernetes/churn-writer.js';
import { buildClusterShape } from '../../../bench/kubernetes/cluster-shape.js';
import { markedAddress } from '../../../bench/kubernetes/marked-address.js';

const { services } = buildClusterShape({ services: 3, endpointsPerService: 2, pods: 4, namespaces: 1 });

test('slices are changed in turn, each change with a new address', async (t) => {
  const sent: { path: string; body: unknown }[] = [];
  const { sentAtMs, answeredAtMs } = await runChurn({
    services,
    perSecond: 1000,
    changes: 5,
    nowMs: () => performance.now(),
    send: async (_method, path, body) => {
      sent.push({ path, body });
      return { status: 200, body: {} };
    },
  });
  const slices = [0, 1, 2, 0, 1].map((index) => `/endpointslices/svc-0000${index}-1`);
  t.deepEqual(
    sent.map(({ path }) => path.slice(path.indexOf('/endpointslices'))),
    slices,
  );
  for (const [change, { body }] of sent.entries()) {
    t.like(body, [{ op: 'replace', path: '/endpoints/1', value: { addresses: [markedAddress(change)] } }]);
  }
  for (const [change, atMs] of answeredAtMs.entries()) t.true(atMs >= (sentAtMs[change] ?? Number.NaN));
});

test('a rejected or broken write has no result and does not stop the churn', async (t) => {
  let count = 0;
  const { answeredAtMs } = await runChurn({
    services,
    perSecond: 1000,
    changes: 3,
    nowMs: () => 1,
    send: async () => {
      count++;
      if (count === 1) throw new Error('connection reset');
      return { status: count === 2 ? 409 : 200, body: {} };
    },
  });
  t.deepEqual([...answeredAtMs], [Number.NaN, Number.NaN, 1]);
});
