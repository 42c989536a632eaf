import { getHeapSpaceStatistics } from 'node:v8';
import test from 'ava';
import { createMatchMeter } from '../../../src/config/regex/match-meter.js';

test('a meter refuses work beyond its limit, and remembers that', (t) => {
  const meter = createMatchMeter(10);
  t.true(meter.spend(6));
  t.false(meter.isExceeded);
  t.false(meter.spend(5));
  t.true(meter.isExceeded);
  t.true(meter.spend(4), 'what was refused is not taken away');
  t.true(meter.isExceeded);
});

/** Bytes in the spaces of the heap that only full collections clean. */
function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name }) => /^(old|map|read_only)_space$/.test(space_name));
  return old.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

test('meters, of which each request has one, leave nothing for a full collection', (t) => {
  const before = oldBytes();
  let refused = 0;
  for (let index = 0; index < 50_000; index++) if (!createMatchMeter(index).spend(25_000)) refused++;
  t.is(refused, 25_000);
  const left = oldBytes() - before;
  t.true(left < 1_000_000, `${left} bytes in the old heap`);
});
