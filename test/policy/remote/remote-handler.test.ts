import test from 'ava';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import type { TransportConfig } from '../../../src/policy/client/transport-config.js';
import { createRemoteHandler } from '../../../src/policy/remote/remote-handler.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { settled } from '../../support/policy-server.js';
import { createRecordingTransport } from '../server/policy-server-rig.js';

const BAG = bagOf(EMPTY_LAYER);

function setUp() {
  const transport = createRecordingTransport();
  const clock = createFakeClock();
  const lost: number[] = [];
  const ended: string[] = [];
  const handler = createRemoteHandler({
    transport,
    clock,
    random: () => 0.5,
    createId: () => 'id',
    onCounted: () => undefined,
    onReportsLost: (reports) => lost.push(reports),
    disconnect: () => ended.push(`disconnected after ${transport.reports.length} calls`),
  });
  const check = (wanted: TransportConfig) =>
    handler.check({ attributes: BAG, quotas: [], deduplicationId: 'a', failPolicy: {}, transport: wanted });
  const report = (count: number): void => {
    for (let n = 0; n < count; n++) handler.report?.({ attributes: BAG, service: {} });
  };
  return {
    handler,
    transport,
    clock,
    check,
    report,
    lost,
    ended,
    sizes: () => transport.reports.map(({ attributes }) => attributes.length),
  };
}

test('reports go on to a remote server in batches of reportBatchMaxEntries, as the mesh config of checked proxies has it', async (t) => {
  const { check, report, sizes } = setUp();
  await check({ reportBatchMaxEntries: 3 });
  report(7);
  t.deepEqual(sizes(), [3, 3]);
});

test('reports go on to a remote server after reportBatchMaxTime, as the mesh config of checked proxies has it', async (t) => {
  const { check, clock, report, sizes } = setUp();
  await check({ reportBatchMaxTime: '3s' });
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
  test(`${when} batches have the default sizes`, async (t) => {
    const { check, clock, report, sizes } = setUp();
    if (transport !== undefined) await check(transport);
    report(101);
    t.deepEqual(sizes(), [100]);
    clock.advance(1000);
    t.deepEqual(sizes(), [100, 1]);
  });
}

test('a Check of another policy server goes on as it came, with a part of an amount and past the caches', async (t) => {
  const { handler, transport } = setUp();
  const quotas = new Map([['rate', { amount: 7, bestEffort: true }]]);
  const request = { attributes: BAG, deduplicationId: 'theirs', quotas };
  const options = { timeoutMs: 1000, signal: new AbortController().signal };
  for (let n = 0; n < 2; n++) await handler.answer(request, options);
  t.deepEqual(transport.checks, [request, request]);
});

test('closing sends the reports that wait before it ends the connection', async (t) => {
  const { handler, report, ended, clock } = setUp();
  report(2);
  await handler.close();
  t.deepEqual(ended, ['disconnected after 1 calls']);
  t.is(clock.timers, 0);
});

test('reports that the server does not take are told as lost', async (t) => {
  const { transport, report, lost } = setUp();
  transport.answerReport = () => Promise.reject(new Error('down'));
  report(100);
  await settled();
  t.deepEqual(lost, [100]);
});
