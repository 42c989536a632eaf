import test from 'ava';
import {
  startTcpReports,
  type TcpReportsOptions,
  tcpReportIntervalMs,
} from '../../../src/policy/client/tcp-reports.js';
import { createFakeClock } from '../../support/fake-clock.js';

type Report = Parameters<TcpReportsOptions['report']>[0];

function open(intervalMs = 10_000) {
  const clock = createFakeClock();
  const total = { received: 0n, sent: 0n };
  const reports: Report[] = [];
  const close = startTcpReports({
    clock,
    intervalMs,
    total: () => ({ ...total }),
    report: (facts) => reports.push(facts),
  });
  return { clock, total, reports, close, events: () => reports.map(({ event }) => event.type) };
}

test('reportInterval is 10 s unless given, and 0 is below 1 second', (t) => {
  t.is(tcpReportIntervalMs(undefined), 10_000);
  t.is(tcpReportIntervalMs('0s'), 1000);
  t.is(tcpReportIntervalMs('2.5s'), 2500);
});

test('a reportInterval below 1 second is reset to 1 second', (t) => {
  t.is(tcpReportIntervalMs('999ms'), 1000);
  t.is(tcpReportIntervalMs('1ns'), 1000);
  t.is(tcpReportIntervalMs('1s'), 1000);
});

test('a connection reports open at once, continue every interval, and close at its end', (t) => {
  const { clock, close, events } = open(2000);
  t.deepEqual(events(), ['open']);
  clock.advance(1999);
  t.deepEqual(events(), ['open']);
  clock.advance(4001);
  t.deepEqual(events(), ['open', 'continue', 'continue', 'continue']);
  close();
  t.deepEqual(events().at(-1), 'close');
});

test('nothing is reported after close, and close only once', (t) => {
  const { clock, close, events } = open();
  close();
  close();
  clock.advance(100_000);
  t.deepEqual(events(), ['open', 'close']);
  t.is(clock.timers, 0);
});

test('each report knows the totals of the one before, for its deltas', (t) => {
  const { clock, total, reports, close } = open();
  total.received = 100n;
  clock.advance(10_000);
  total.received = 150n;
  total.sent = 7n;
  close();
  t.deepEqual(
    reports.map(({ total: { received, sent }, lastReported }) => [
      received - lastReported.received,
      sent - lastReported.sent,
    ]),
    [
      [0n, 0n],
      [100n, 0n],
      [50n, 7n],
    ],
  );
});

test('the duration of the connection is reported when it closes', (t) => {
  const { clock, reports, close } = open();
  clock.advance(1234.5);
  close();
  t.deepEqual(reports.at(-1)?.event, { type: 'close', durationNs: 1_234_500_000n });
});
