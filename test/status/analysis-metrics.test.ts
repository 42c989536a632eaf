import test from 'ava';
import { Registry } from 'prom-client';
import { createAnalysisMetrics } from '../../src/status/analysis-metrics.js';
import { createAnalysisWatch } from '../../src/status/analysis-watch.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { batch, snapshot, storeWith } from '../model/mesh-objects.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { ENFORCEMENT, policyObject } from './analysis/support.js';

test('changes, pauses, analyses and objects by kind are counted as they happen', async (t) => {
  const registry = new Registry();
  const clock = createFakeClock();
  const store = storeWith();
  const analysis = createAnalysisWatch(
    createRecordingLogger(),
    clock,
    () => ENFORCEMENT,
    () => [],
    () => [],
    createAnalysisMetrics(createMetrics(registry), clock),
  );
  let context = snapshot(store);
  const apply = (text: string): void => {
    store.apply(batch(policyObject(text)));
    context = snapshot(store, context);
    analysis.observe(context);
  };
  const value = async (name: string, label = ''): Promise<number | undefined> => {
    const text = await registry.getSingleMetricAsString(`cfgsrv_runtime_${name.replace(/_(count|sum)$/, '')}`);
    const line = text.split('\n').find((each) => each.startsWith(`cfgsrv_runtime_${name}${label} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };

  apply('QuotaSpec shop/a {rules: [{quotas: [{quota: q}]}]}');
  clock.advance(0);
  t.is(await value('strategy_on_change_total'), 1);
  t.is(await value('strategy_timer_quiesce_reached_total'), 1);
  t.is(await value('processor_snapshots_published_total'), 1);
  t.is(await value('state_type_instances_total', '{collection="QuotaSpec"}'), 1);

  clock.advance(40);
  apply('QuotaSpec shop/b {rules: [{quotas: [{quota: q}]}]}');
  clock.advance(0);
  apply('QuotaSpec shop/c {rules: [{quotas: [{quota: q}]}]}');
  apply('QuotaSpec shop/d {rules: [{quotas: [{quota: q}]}]}');
  clock.advance(0);
  t.is(await value('strategy_on_change_total'), 4);
  t.is(await value('strategy_timer_resets_total'), 1);
  t.is(await value('strategy_timer_max_time_reached_total'), 1);
  t.is(await value('processor_events_processed_total'), 4);
  t.is(await value('processor_snapshot_events_total_sum'), 4);
  t.is(await value('processor_snapshots_published_total'), 3);
  t.is(await value('processor_event_span_duration_milliseconds_count'), 3);
  t.is(await value('processor_event_span_duration_milliseconds_sum'), 40);
  t.is(await value('processor_snapshot_lifetime_duration_milliseconds_sum'), 40);
  t.is(await value('state_type_instances_total', '{collection="QuotaSpec"}'), 4);
});
