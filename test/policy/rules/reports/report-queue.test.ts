import test from 'ava';
import { AdapterError } from '../../../../src/policy/own-adapters/adapter-error.js';
import { createReportBudget } from '../../../../src/policy/rules/reports/report-budget.js';
import { createReportQueue, type ReportBatch } from '../../../../src/policy/rules/reports/report-queue.js';
import { createFakeClock } from '../../../support/fake-clock.js';

const report = (text: string) => Buffer.from(text);

function createRig(budgetBytes?: number) {
  const clock = createFakeClock();
  const sent: string[] = [];
  const lost: string[] = [];
  const attempts: ReportBatch<string>[] = [];
  const rig = {
    clock,
    sent,
    lost,
    attempts,
    /** What the adapter does with a batch. */
    take: async (_batch: ReportBatch<string>): Promise<void> => undefined,
    delivered: 0,
  };
  let ids = 0;
  const queue = createReportQueue<string>({
    send: async (batch) => {
      attempts.push(batch);
      await rig.take(batch);
      sent.push(...batch.instances.map(String));
    },
    codeOf: (error) => (error instanceof AdapterError ? error.code : 'INTERNAL'),
    budget: createReportBudget(budgetBytes),
    createId: () => `id${++ids}`,
    clock,
    random: () => 0.5,
    onSent: (reports) => {
      rig.delivered += reports;
    },
    onLost: (reports, error) => lost.push(`${reports}: ${error.message}`),
  });
  return { ...rig, rig, queue };
}

/** Lets promises settle. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const away = async (): Promise<void> => {
  throw new AdapterError('UNAVAILABLE', 'away');
};

test('reports are sent at once, and again with the same id until the adapter takes them', async (t) => {
  const { rig, queue, clock, attempts, sent, lost } = createRig();
  rig.take = away;
  queue.add('entry', [report('a'), report('b')]);
  for (let n = 0; n < 20; n++) {
    await turn();
    clock.advance(5000);
  }
  await turn();
  t.true(attempts.length > 10, String(attempts.length));
  t.is(new Set(attempts.map(({ dedupId }) => dedupId)).size, 1);
  rig.take = async () => undefined;
  clock.advance(5000);
  await turn();
  t.deepEqual([sent, lost], [['a', 'b'], []]);
});

test('reports that wait are tried at once when the adapter is back', async (t) => {
  const { rig, queue, sent } = createRig();
  rig.take = away;
  queue.add('entry', [report('a')]);
  await turn();
  rig.take = async () => undefined;
  queue.retryNow();
  await turn();
  t.deepEqual(sent, ['a']);
});

test('an adapter that stays away for ten minutes loses reports, which are counted', async (t) => {
  const { rig, queue, clock, lost } = createRig();
  rig.take = away;
  queue.add('entry', [report('a'), report('b')]);
  for (let n = 0; n < 119; n++) {
    await turn();
    clock.advance(5000);
  }
  await turn();
  t.deepEqual(lost, []);
  for (let n = 0; n < 3; n++) {
    clock.advance(5000);
    await turn();
  }
  t.deepEqual(lost, ['2: away']);
});

for (const [code, attemptsWanted] of [
  ['INVALID_ARGUMENT', 1],
  ['UNIMPLEMENTED', 1],
  ['UNKNOWN', 5],
  ['INTERNAL', 5],
] as const) {
  test(`after ${code} reports are tried ${attemptsWanted} times`, async (t) => {
    const { rig, queue, clock, attempts, lost } = createRig();
    rig.take = async () => {
      throw new AdapterError(code, 'refused');
    };
    queue.add('entry', [report('a')]);
    for (let n = 0; n < 20; n++) {
      await turn();
      clock.advance(5000);
    }
    t.is(attempts.length, attemptsWanted);
    t.deepEqual(lost, ['1: refused']);
  });
}

test('four batches are sent at a time', async (t) => {
  const { rig, queue, attempts } = createRig();
  rig.take = () => new Promise(() => undefined);
  for (let n = 0; n < 10; n++) queue.add('entry', [report(String(n))]);
  await turn();
  t.is(attempts.length, 4);
});

test('large reports are sent in several batches', async (t) => {
  const { queue, attempts } = createRig();
  queue.add(
    'entry',
    Array.from({ length: 5 }, () => Buffer.alloc(500_000)),
  );
  await turn();
  t.deepEqual(
    attempts.map(({ instances }) => instances.length),
    [2, 2, 1],
  );
});

test('reports without room are lost at once: 8 MiB for a handler, and the bytes for all handlers', async (t) => {
  const ofHandler = createRig();
  ofHandler.rig.take = away;
  for (let n = 0; n < 10; n++) ofHandler.queue.add('entry', [Buffer.alloc(1_000_000)]);
  t.deepEqual(ofHandler.lost, Array(2).fill('1: too many reports wait for the adapter'));
  const ofAll = createRig(1000);
  ofAll.rig.take = away;
  for (let n = 0; n < 3; n++) ofAll.queue.add('entry', [Buffer.alloc(400)]);
  t.is(ofAll.lost.length, 1);
  ofAll.rig.take = async () => undefined;
  await turn();
  ofAll.queue.retryNow();
  await turn();
  ofAll.queue.add('entry', [Buffer.alloc(400)]);
  await turn();
  t.is(ofAll.lost.length, 1, 'the room is given back');
});

test('a closed queue waits for its last reports, and counts those that are left', async (t) => {
  const { rig, queue, clock, sent, lost } = createRig();
  rig.take = away;
  queue.add('entry', [report('a')]);
  await turn();
  const closed = queue.close(5000);
  rig.take = async () => undefined;
  clock.advance(100);
  await closed;
  t.deepEqual([sent, lost], [['a'], []]);

  const other = createRig();
  other.rig.take = away;
  other.queue.add('entry', [report('a'), report('b')]);
  await turn();
  const given = other.queue.close(5000);
  other.clock.advance(5000);
  await given;
  t.deepEqual(other.lost, ['2: the handler was closed before the adapter took them']);
  other.queue.add('entry', [report('c')]);
  t.deepEqual(other.lost.at(-1), '1: the handler is closed');
});
