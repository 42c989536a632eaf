import test from 'ava';
import { Registry } from 'prom-client';
import { PolicyTransportError } from '../../../src/policy/client/policy-transport.js';
import { createQuotaMetrics } from '../../../src/policy/quota/quota-metrics.js';
import type { ChargeResult } from '../../../src/policy/quota/quota-store.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';

function setUp() {
  const registry = new Registry();
  const metrics = createQuotaMetrics(createMetrics(registry));
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { metrics, lines };
}

const REST = { validMs: 1, left: 0, resetMs: 1 };

const RESULTS: readonly (readonly [string, number, Pick<ChargeResult, 'granted' | 'isCharged'>])[] = [
  ['granted', 3, { granted: 3, isCharged: true }],
  ['partial', 3, { granted: 2, isCharged: true }],
  ['refused', 3, { granted: 0, isCharged: false }],
  ['withheld', 3, { granted: 3, isCharged: false }],
];

for (const [result, amount, outcome] of RESULTS) {
  test(`a charge is counted by quota as ${result}`, async (t) => {
    const { metrics, lines } = setUp();
    metrics.charged('rate', amount, { ...outcome, ...REST });
    t.deepEqual(await lines(), [`policy_server_quota_charges_total{quota="rate",result="${result}"} 1`]);
  });
}

test('evicted counters are counted by quota, so that the bound can be raised', async (t) => {
  const { metrics, lines } = setUp();
  metrics.charged('rate', 1, { granted: 1, isCharged: true, ...REST, evicted: 1 });
  metrics.charged('rate', 1, { granted: 1, isCharged: true, ...REST });
  t.true((await lines()).includes('policy_server_quota_evicted_counters_total{quota="rate"} 1'));
});

test('quotas without a limit are counted without their names, which callers choose', async (t) => {
  const { metrics, lines } = setUp();
  metrics.undefinedCharged();
  metrics.undefinedCharged();
  t.deepEqual(await lines(), ['policy_server_quota_undefined_charges_total 2']);
});

test('failures are counted by store and kind', async (t) => {
  const { metrics, lines } = setUp();
  metrics.storeFailed('redis', new PolicyTransportError('timeout', 'too slow'));
  metrics.storeFailed('redis', new TypeError('a bug'));
  t.deepEqual(await lines(), [
    'policy_server_store_errors_total{store="redis",failure="timeout"} 1',
    'policy_server_store_errors_total{store="redis",failure="other"} 1',
  ]);
});
