import test from 'ava';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { findLongestBlockMs } from '../../../bench/measure/longest-block.js';

test('the longest block is found in the metrics of the process', async (t) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  await registry.metrics();
  const untilMs = performance.now() + 30;
  await new Promise((resolve) => setTimeout(resolve, 20));
  while (performance.now() < untilMs + 100);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.true(findLongestBlockMs(await registry.metrics()) > 50);
  t.throws(() => findLongestBlockMs('# none'), { instanceOf: RangeError });
});
