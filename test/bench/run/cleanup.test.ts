import test from 'ava';
import { Cleanup } from '../../../bench/run/cleanup.js';

test('cleanup steps run once in reverse order, even if one fails', async (t) => {
  const undone: number[] = [];
  const cleanup = new Cleanup();
  cleanup.add(async () => {
    undone.push(1);
  });
  cleanup.add(async () => {
    undone.push(2);
    throw new Error('cannot');
  });
  cleanup.add(async () => {
    undone.push(3);
  });
  await t.throwsAsync(cleanup.run(), { message: 'cannot' });
  await cleanup.run();
  t.deepEqual(undone, [3, 2, 1]);
});
