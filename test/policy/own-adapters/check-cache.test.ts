import test from 'ava';
import { createCheckCache } from '../../../src/policy/own-adapters/check-cache.js';
import { createFakeClock } from '../../support/fake-clock.js';

const MIB = 1024 * 1024;
const DECISION = { status: { code: 'PERMISSION_DENIED', message: '' }, validMs: 60_000, validUseCount: -1 } as const;

test('decisions are kept within 4 MiB of instances and answers, those that were used last', (t) => {
  const cache = createCheckCache(createFakeClock());
  for (let at = 0; at < 100; at++) cache.put(`${at}`, DECISION, MIB);
  const kept = Array.from({ length: 100 }, (_, at) => at).filter((at) => cache.get(`${at}`) !== undefined);
  t.deepEqual(kept, [97, 98, 99]);
  cache.put('a'.repeat(3 * MIB), DECISION, 0);
  t.is(cache.get('97'), undefined);
  t.truthy(cache.get('a'.repeat(3 * MIB)));
});

test('a decision that is replaced or used up makes room', (t) => {
  const cache = createCheckCache(createFakeClock());
  cache.put('first', DECISION, MIB);
  for (let at = 0; at < 9; at++) cache.put('again', { ...DECISION, validUseCount: 2 }, MIB);
  t.truthy(cache.get('again'));
  t.is(cache.get('again'), undefined);
  cache.put('third', DECISION, 2 * MIB);
  t.truthy(cache.get('first'));
  t.truthy(cache.get('third'));
});
