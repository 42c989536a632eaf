import test from 'ava';
import { Registry } from 'prom-client';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { createBackendClients } from '../../../src/policy/server/backend-clients.js';
import { createPolicyServerMetrics } from '../../../src/policy/server/policy-server-metrics.js';
import { createLimitedLog } from '../../../src/telemetry/limited-log.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createRecordingTransport } from './policy-server-rig.js';

function setUp() {
  const transport = createRecordingTransport();
  const clock = createFakeClock();
  const clients = createBackendClients({
    backend: { transport, isLocal: false },
    clock,
    random: () => 0.5,
    createId: () => 'id',
    metrics: createPolicyServerMetrics(createMetrics(new Registry())),
    limitedLog: createLimitedLog(createRecordingLogger(), clock),
  });
  const report = (count: number): void => {
    for (let n = 0; n < count; n++) clients.report(bagOf(EMPTY_LAYER), {});
  };
  return { clients, clock, report, sizes: () => transport.reports.map(({ attributes }) => attributes.length) };
}

test('reports go on to a remote backend in batches of reportBatchMaxEntries, as the mesh config of checked proxies has it', (t) => {
  const { clients, report, sizes } = setUp();
  clients.clientFor({ reportBatchMaxEntries: 3 });
  report(7);
  t.deepEqual(sizes(), [3, 3]);
});

test('reports go on to a remote backend after reportBatchMaxTime, as the mesh config of checked proxies has it', (t) => {
  const { clients, clock, report, sizes } = setUp();
  clients.clientFor({ reportBatchMaxTime: '3s' });
  report(2);
  clock.advance(2999);
  t.deepEqual(sizes(), []);
  clock.advance(1);
  t.deepEqual(sizes(), [2]);
});

for (const [when, transport] of [
  ['before any check', undefined],
  ['with 0 for both', { reportBatchMaxEntries: 0, reportBatchMaxTime: '0s' }],
] as const) {
  test(`SPEC 2.12: ${when} batches have the built-in defaults`, (t) => {
    const { clients, clock, report, sizes } = setUp();
    if (transport !== undefined) clients.clientFor(transport);
    report(101);
    t.deepEqual(sizes(), [100]);
    clock.advance(1000);
    t.deepEqual(sizes(), [100, 1]);
  });
}
