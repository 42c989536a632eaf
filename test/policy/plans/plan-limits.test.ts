import test from 'ava';
import type { PlanLimit } from '../../../src/config/plans/plan.js';
import { quotaLimitOf } from '../../../src/policy/plans/plan-limits.js';

const DAY_MS = 86_400_000;

const CASES: readonly (readonly [PlanLimit['per'], PlanLimit['window'], string, number])[] = [
  ['minute', 'fixed', 'fixed', 60_000],
  ['hour', 'rolling', 'rolling', 3_600_000],
  ['day', 'fixed', 'fixed', DAY_MS],
  ['week', 'fixed', 'week', 7 * DAY_MS],
  ['week', 'rolling', 'rolling', 7 * DAY_MS],
  ['month', 'fixed', 'month', 30 * DAY_MS],
  ['month', 'rolling', 'rolling', 30 * DAY_MS],
];

for (const [per, window, counted, validDurationMs] of CASES) {
  test(`a ${window} ${per} is counted in a window of type ${counted}`, (t) => {
    const limit = quotaLimitOf('shop/gold', { name: 'l', requests: 7, per, window, of: 'plan', match: [] });
    t.like(limit, { name: 'shop/gold l', maxAmount: 7, window: counted, validDurationMs });
  });
}

for (const [of, dimensions] of [
  ['key', ['api.consumer', 'api.key_id']],
  ['consumer', ['api.consumer']],
  ['plan', []],
] as const) {
  test(`a limit of a ${of} counts by ${dimensions.join() || 'nothing'}`, (t) => {
    const limit = quotaLimitOf('a/b', { name: 'l', requests: 7, per: 'day', window: 'fixed', of, match: [] });
    t.deepEqual(
      limit.dimensions.map(({ text }) => text),
      [...dimensions],
    );
  });
}
