import test from 'ava';
import { Counter, Registry } from 'prom-client';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createMetricsText } from '../../src/telemetry/metrics-text.js';
import { createFakeClock } from '../support/fake-clock.js';

function rig() {
  const registry = new Registry();
  const clock = createFakeClock();
  const counter = new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['peer'], registers: [registry] });
  let rendered = 0;
  const scrape = createMetricsText(registry, clock, createMetrics(registry), {
    minIntervalMs: 1000,
    collect: () => {
      rendered++;
    },
  });
  return { registry, clock, counter, scrape, renderings: () => rendered };
}

test('the text is that of the registry', async (t) => {
  const { registry, counter, scrape } = rig();
  new Counter({ name: 'other_total', help: 'Others.', registers: [registry] }).inc(3);
  counter.inc({ peer: 'a' });
  const { bytes, contentType } = await scrape();
  t.is(bytes.toString(), await registry.metrics());
  t.is(contentType, registry.contentType);
});

test('more lines follow those of the registry, also many of them', async (t) => {
  const { registry } = rig();
  const lines = Array.from({ length: 5000 }, (_, index) => `more{n="${index}"} 1`);
  const scrape = createMetricsText(registry, createFakeClock(), createMetrics(registry), {
    minIntervalMs: 1000,
    more: () => lines,
  });
  t.is((await scrape()).bytes.toString(), `${await registry.metrics()}${lines.join('\n')}\n`);
});

test('scrapes at the same time share one rendering, and those of the next second its bytes', async (t) => {
  const { clock, counter, scrape, renderings } = rig();
  const [first, second] = await Promise.all([scrape(), scrape()]);
  t.is(first?.bytes, second?.bytes);
  counter.inc({ peer: 'a' });
  clock.advance(999);
  t.is((await scrape()).bytes, first?.bytes);
  t.is(renderings(), 1);
  clock.advance(1);
  t.regex((await scrape()).bytes.toString(), /calls_total\{peer="a"\} 1/);
  t.is(renderings(), 2);
});

test('a failed rendering is not cached', async (t) => {
  let fails = true;
  const registry = new Registry();
  const scrape = createMetricsText(registry, createFakeClock(), createMetrics(registry), {
    minIntervalMs: 1000,
    collect: () => {
      if (fails) throw new Error('no');
    },
  });
  await t.throwsAsync(scrape(), { message: 'no' });
  fails = false;
  await t.notThrowsAsync(scrape());
  const text = await registry.metrics();
  t.true(text.includes('scrapes_total 2\n'));
  t.true(text.includes('scrape_failures_total{type="application"} 1\n'));
});
