import test from 'ava';
import { formatConnectionsReport, judgeConnections } from '../../../bench/connections/connections-report.js';
import type { ConnectionsResult } from '../../../bench/connections/measure-connections.js';
import { createTerminalStyle } from '../../../bench/report/terminal-style.js';

const MEBIBYTE = 1024 * 1024;

const change = (last: number, cpuSeconds: number, residentMebibytes: number) => ({
  ...{ clientMs: { first: 150, median: 300, p99: last - 1, last }, cpuSeconds, longestBlockMs: 30 },
  ...{ residentBytes: residentMebibytes * MEBIBYTE, peakResidentBytes: 950 * MEBIBYTE },
});
const connected = (clients: number, mebibytes: number) => ({
  ...{ clients, connectMs: 12_300, cpuSeconds: 4.56 },
  ...{ residentBytes: mebibytes * MEBIBYTE, peakResidentBytes: mebibytes * MEBIBYTE },
});
const RESULT: ConnectionsResult = {
  idleBytes: 140 * MEBIBYTE,
  few: connected(100, 200),
  all: connected(10_000, 800),
  bytesPerSidecar: 62 * 1024,
  changes: [change(1000, 0.5, 850), change(1500, 0.7, 920), change(1100, 0.6, 860)],
  ...{ turnedAway: 3, turnedAwayReason: 'gRPC status 8: too many' },
};

test('times and processor time are judged by their medians, resident memory by its maximum', (t) => {
  t.deepEqual(
    judgeConnections(RESULT).map(({ value, met }) => [Math.round(value * 10) / 10, met]),
    [
      [62, false],
      [950, true],
      [0.6, true],
      [920, false],
      [3, false],
    ],
  );
});

test('the text tells the first reason why a sidecar was turned away', (t) => {
  const text = formatConnectionsReport(RESULT, createTerminalStyle(false, {}));
  t.regex(text, /10000 delta sidecars of an equal scope; server idle at 140 MiB/);
  t.regex(text, /10000 sidecars {5}12\.3 s {4}4\.6 {6}800 {3}800/);
  t.regex(text, /First sidecar turned away: gRPC status 8: too many/);
  const met = { ...RESULT, turnedAway: 0, turnedAwayReason: '' };
  t.notRegex(formatConnectionsReport(met, createTerminalStyle(false, {})), /First sidecar/);
});
