import test from 'ava';
import { sampleMemory } from '../../../bench/kubernetes/memory-series.js';

const MEBIBYTE = 1024 * 1024;

test('a process is sampled at its start and at its end', async (t) => {
  let now = 0;
  const samples = await sampleMemory(process.pid, () => ++now).stop();
  t.true(samples.length >= 2);
  t.true(samples.every(({ residentBytes }) => residentBytes > MEBIBYTE));
  t.is(samples[0]?.atMs, 1);
});
