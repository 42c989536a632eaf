import test from 'ava';
import { sampleMemory, slopeOf } from '../../../bench/kubernetes/memory-series.js';

const MEBIBYTE = 1024 * 1024;

test('the slope is that of the last two thirds, in bytes per minute', (t) => {
  const samples = Array.from({ length: 90 }, (_, second) => ({
    atMs: 5000 + second * 1000,
    residentBytes: second < 30 ? 0 : 300 * MEBIBYTE + second * MEBIBYTE,
  }));
  t.is(Math.round(slopeOf(samples) / MEBIBYTE), 60);
  const flat = samples.map(({ atMs }) => ({ atMs, residentBytes: 300 * MEBIBYTE }));
  t.is(slopeOf(flat), 0);
  t.is(slopeOf([]), Number.NaN);
});

test('a process is sampled at its start and at its end', async (t) => {
  let now = 0;
  const samples = await sampleMemory(process.pid, () => ++now).stop();
  t.true(samples.length >= 2);
  t.true(samples.every(({ residentBytes }) => residentBytes > MEBIBYTE));
  t.is(samples[0]?.atMs, 1);
});
