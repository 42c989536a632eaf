import test from 'ava';
import { Registry } from 'prom-client';
import { createQuotaStoreOpener } from '../../../src/policy/quota/open-quota-store.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

test('the gauge of the store shows the newest one, and none after that is closed', async (t) => {
  const registry = new Registry();
  const open = createQuotaStoreOpener({
    clock: createFakeClock(),
    metrics: createMetrics(registry),
    logger: createRecordingLogger(),
  });
  const shown = async () => (await registry.getSingleMetric('policy_server_store_up')?.get())?.values;
  const first = open({ type: 'memory', maxCounters: 10 });
  const up = [{ labels: { store: 'memory' }, value: 1 }];
  t.like(await shown(), up);
  const second = open({ type: 'memory', maxCounters: 20 });
  await first.close();
  t.like(await shown(), up);
  await second.close();
  t.deepEqual(await shown(), []);
});
