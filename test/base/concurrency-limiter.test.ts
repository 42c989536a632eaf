import test from 'ava';
import { type ConcurrencyLimits, createConcurrencyLimiter } from '../../src/base/concurrency-limiter.js';
import { createFakeClock } from '../support/fake-clock.js';

/** Works begin in a later turn of the event loop. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function create(limits: Partial<ConcurrencyLimits> = {}) {
  const clock = createFakeClock();
  const limiter = createConcurrencyLimiter({ maxConcurrent: 2, maxWaiting: 100, maxWaitMs: 1_000, ...limits }, clock);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    clock,
    begun,
    /** @param name such as `a1`, whose first letter is its key */
    run: (name: string): Promise<void> =>
      limiter.run(name.charAt(0), () => {
        begun.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await settled();
    },
  };
}

test('keys take turns, and the works of one key start in order of arrival', async (t) => {
  const { run, end, begun } = create();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2']) void run(name);
  await settled();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']) await end(name);
  t.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

test('one key leaves places to others, however many works it has and however slow they are', async (t) => {
  const { run, end, begun } = create({ maxConcurrent: 4, maxConcurrentPerKey: 3 });
  for (let count = 1; count <= 50; count++) void run(`a${count}`);
  void run('b1');
  void run('c1');
  await settled();
  t.deepEqual(begun, ['a1', 'a2', 'a3', 'b1']);
  await end('b1');
  t.deepEqual(begun.slice(4), ['c1']);
  await end('c1');
  t.is(begun.length, 5, 'the place stays free for others');
  await end('a1');
  t.deepEqual(begun.slice(5), ['a4']);
});

test('when the queue is full, the key with the most waiting works loses one, and other keys lose none', async (t) => {
  const { run, begun, end } = create({ maxConcurrent: 1, maxWaiting: 3 });
  void run('a1');
  const [a2] = [run('a2'), run('a3'), run('a4')];
  await t.throwsAsync(run('a5'), { name: 'OverloadError', message: '3 are waiting already' });
  const refused = t.throwsAsync(a2, { name: 'OverloadError' });
  void run('b1');
  await refused;
  await end('a1');
  await end('a3');
  await end('b1');
  t.deepEqual(begun, ['a1', 'a3', 'b1', 'a4']);
});

test('a work that waits too long is not started, and delays no other', async (t) => {
  const { run, clock, end, begun } = create({ maxConcurrent: 1 });
  void run('a1');
  const late = run('b1');
  clock.advance(1_000);
  const error = await t.throwsAsync(late, { name: 'OverloadError', message: 'its turn did not come within 1s' });
  t.like(error, { reason: 'waited too long' });
  await end('a1');
  void run('c1');
  await settled();
  t.deepEqual(begun, ['a1', 'c1']);
  t.is(clock.timers, 0);
});

test('a failed work frees its place', async (t) => {
  const limiter = createConcurrencyLimiter({ maxConcurrent: 1, maxWaiting: 0, maxWaitMs: 1_000 }, createFakeClock());
  for (let count = 0; count < 3; count++) {
    await t.throwsAsync(
      limiter.run('a', () => Promise.reject(new Error('no'))),
      { message: 'no' },
    );
  }
});
