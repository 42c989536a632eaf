import { Registry } from 'prom-client';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createQuotaHandler, type QuotaHandlerOptions } from '../../../src/policy/quota/quota-handler.js';
import { createQuotaMetrics } from '../../../src/policy/quota/quota-metrics.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFakeClock } from '../../support/fake-clock.js';

type QuotaRigOptions = Pick<QuotaHandlerOptions, 'limits'> &
  Partial<QuotaHandlerOptions> & {
    /** Of the store in memory; default 1000. */
    readonly maxCounters?: number;
  };

/** A handler that counts in memory, with a clock of the test. */
export function createQuotaRig({ maxCounters = 1000, ...options }: QuotaRigOptions) {
  const clock = createFakeClock();
  const registry = new Registry();
  const handler = createQuotaHandler({
    ...{
      clock,
      store: createMemoryStore({ clock, maxCounters }),
      metrics: createQuotaMetrics(createMetrics(registry)),
    },
    ...options,
  });
  return { clock, handler, scrape: () => registry.metrics() };
}
