import test from 'ava';
import { type AttributeBag, bagOf } from '../../../src/policy/client/attribute-bag.js';
import { int64Attribute } from '../../../src/policy/client/attribute-value.js';
import { createPolicyClient } from '../../../src/policy/client/policy-client.js';
import { PolicyTransportError } from '../../../src/policy/client/policy-transport.js';
import type { TransportConfig } from '../../../src/policy/client/transport-config.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createFakePolicyServer, sendError, settled } from '../../support/policy-server.js';

function bag(n: number): AttributeBag {
  return bagOf(new Map([['n', int64Attribute(n)]]));
}

function setUp(config: TransportConfig = {}) {
  const clock = createFakeClock();
  const server = createFakePolicyServer();
  const client = createPolicyClient(config, { transport: server, clock, random: () => 0, clientId: 'c' });
  const report = (count: number) => {
    for (let n = 0; n < count; n++) client.report({ attributes: bag(n) });
  };
  const sizes = () => server.reports.map(({ request }) => request.attributes.length);
  return { clock, server, client, report, sizes };
}

test('reportBatchMaxEntries: 0 and no value mean 100 reports per call', (t) => {
  for (const config of [{}, { reportBatchMaxEntries: 0 }]) {
    const { report, sizes } = setUp(config);
    report(99);
    t.deepEqual(sizes(), []);
    report(101);
    t.deepEqual(sizes(), [100, 100]);
  }
});

test('reportBatchMaxEntries: a batch is sent when it is full, in the order of the reports', (t) => {
  const { server, report, sizes } = setUp({ reportBatchMaxEntries: 3 });
  report(4);
  t.deepEqual(sizes(), [3]);
  t.deepEqual(
    server.reports[0]?.request.attributes.map((sent) => sent.get('n')),
    [0, 1, 2].map(int64Attribute),
  );
});

test('reportBatchMaxTime: 0 and no value mean 1000 ms after the first report of the batch', (t) => {
  for (const config of [{}, { reportBatchMaxTime: '0s' }]) {
    const { clock, report, sizes } = setUp(config);
    report(1);
    clock.advance(600);
    report(1);
    clock.advance(399);
    t.deepEqual(sizes(), []);
    clock.advance(1);
    t.deepEqual(sizes(), [2]);
  }
});

test('reportBatchMaxTime: the time restarts with each batch', (t) => {
  const { clock, report, sizes } = setUp({ reportBatchMaxEntries: 2, reportBatchMaxTime: '200ms' });
  report(1);
  clock.advance(150);
  report(2);
  clock.advance(199);
  t.deepEqual(sizes(), [2]);
  clock.advance(1);
  t.deepEqual(sizes(), [2, 1]);
});

test('disableReportBatch: each report is sent by itself, at once', (t) => {
  const { report, sizes, clock } = setUp({ disableReportBatch: true, reportBatchMaxEntries: 50 });
  report(3);
  t.deepEqual(sizes(), [1, 1, 1]);
  t.is(clock.timers, 1, 'only the deadline of the oldest call');
});

test('nothing is sent when there is nothing to report', (t) => {
  const { clock, sizes } = setUp();
  clock.advance(60_000);
  t.deepEqual(sizes(), []);
});

test('close sends what is waiting, waits for all calls, and drops later reports', async (t) => {
  const { clock, server, client, report, sizes } = setUp();
  report(2);
  let isClosed = false;
  const closed = client.close().then(() => {
    isClosed = true;
  });
  t.deepEqual(sizes(), [2]);
  await settled();
  t.false(isClosed);
  server.reports[0]?.answer();
  await closed;
  report(200);
  t.deepEqual(sizes(), [2]);
  t.is(client.statistics().total_report_calls, 2);
  t.is(clock.timers, 0);
});

test('close ends although the server never answers', async (t) => {
  const { clock, client, report } = setUp();
  report(1);
  const closed = client.close();
  clock.advance(5000);
  await closed;
  t.is(client.statistics().total_remote_report_timeouts, 1);
});

test('a lost report is counted by its kind and not sent again', async (t) => {
  const { server, client, report } = setUp({ disableReportBatch: true });
  report(4);
  server.reports[0]?.answer();
  server.reports[1]?.fail(sendError());
  server.reports[2]?.fail(new PolicyTransportError('timeout', 'late'));
  server.reports[3]?.fail('nonsense');
  await settled();
  const statistics = client.statistics();
  t.is(statistics.total_remote_report_calls, 4);
  t.is(statistics.total_remote_report_successes, 1);
  t.is(statistics.total_remote_report_send_errors, 1);
  t.is(statistics.total_remote_report_timeouts, 1);
  t.is(statistics.total_remote_report_other_errors, 1);
  t.is(server.reports.length, 4);
});
