import { parseDuration } from '../../../base/parse-duration.js';
import type { MemquotaParams } from '../../../config/policy-rules/catalogue/params/memquota.js';
import { createMemoryStore } from '../../quota/memory/memory-store.js';
import { windowShape } from '../../quota/window-shape.js';
import type { Adapter, HandlerEnvironment } from './adapter.js';
import { type CountedAmount, type CountedQuota, createQuotaAdapter } from './quota-adapter.js';

/** Counters of each quota at most; a further combination of dimensions evicts the one that was used least recently. */
const MAX_COUNTERS = 100_000;

/** A tenant may have many handlers, so each begins with little memory. */
const FIRST_REPETITIONS = 64;

/** Counts in rolling windows in the memory of this process. */
export function buildMemquota(params: MemquotaParams, { clock, counterRoom }: HandlerEnvironment): Adapter {
  const store = createMemoryStore({
    clock,
    maxCounters: MAX_COUNTERS,
    firstRepetitions: FIRST_REPETITIONS,
    room: counterRoom,
  });
  return createQuotaAdapter(memquotaAmounts(params), store, 0);
}

export function memquotaAmounts({ quotas }: MemquotaParams): readonly CountedQuota[] {
  return quotas.map(({ name, maxAmount, validDuration, overrides }) => ({
    name,
    ...amountOf(maxAmount, validDuration),
    overrides: overrides.map((override) => ({
      dimensions: override.dimensions,
      ...amountOf(override.maxAmount, override.validDuration ?? validDuration),
    })),
  }));
}

function amountOf(maxAmount: number, validDuration: string): CountedAmount {
  return { maxAmount, shape: windowShape('rolling', Math.max(1, Math.round(parseDuration(validDuration)))) };
}
