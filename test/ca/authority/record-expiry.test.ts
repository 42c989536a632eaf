import test from 'ava';
import { Registry } from 'prom-client';
import { createLocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { recordExpiry } from '../../../src/ca/authority/record-expiry.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';

test('the expiry of a root is recorded, becomes negative at that time, and changes with the root', async (t) => {
  const clock = createFakeClock();
  const registry = new Registry();
  const authority = createLocalAuthority({ clock, ttls: { defaultMs: DAY_MS, maxMs: DAY_MS } });
  const end = recordExpiry({ authority, clock, metrics: createMetrics(registry) });
  const value = async (): Promise<number | undefined> =>
    (await registry.getSingleMetric('ca_server_root_cert_expiry_timestamp')?.get())?.values[0]?.value;
  t.is(await value(), undefined);

  authority.replace(materialOf(await selfSigned({ now: clock.now(), ttlMs: 40 * DAY_MS })));
  const seconds = Date.UTC(2026, 1, 10) / 1000;
  t.is(await value(), seconds);
  clock.advance(40 * DAY_MS - 1);
  t.is(await value(), seconds);
  clock.advance(1);
  t.is(await value(), -seconds);

  authority.replace(materialOf(await selfSigned({ now: clock.now(), ttlMs: DAY_MS })));
  t.is(await value(), seconds + 86_400);
  end();
  t.is(clock.timers, 0);
});
