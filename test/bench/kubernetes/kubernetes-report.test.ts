import test from 'ava';
import { formatKubernetesReport, judgeKubernetes } from '../../../bench/kubernetes/kubernetes-report.js';
import type { KubernetesResult } from '../../../bench/kubernetes/kubernetes-result.js';
import { createTerminalStyle } from '../../../bench/report/terminal-style.js';

const MEBIBYTE = 1024 * 1024;
const START = { residentBytes: 300 * MEBIBYTE, peakResidentBytes: 350 * MEBIBYTE, floorPeakBytes: 100 * MEBIBYTE };
const RESULT: KubernetesResult = {
  objects: 1502,
  listedBytes: 6 * MEBIBYTE,
  starts: [
    { ...START, readyMs: 4000, floorMs: 2000 },
    { ...START, readyMs: 11_000, floorMs: 3000 },
    { ...START, readyMs: 5000, floorMs: 2500 },
  ],
  sync: { clientMs: [1000, 3000, 2000], receivedBytes: 320 * MEBIBYTE, residentBytes: 400 * MEBIBYTE },
  churn: {
    seconds: 600,
    changes: 1000,
    refused: 2,
    writeMs: [4, 5, 6],
    floorMs: [5, 6, 7],
    clientMs: [50, 60, 251],
    missing: 3,
    cpuShare: 0.2,
    clientCpuShare: 0.3,
    memory: Array.from({ length: 60 }, (_, index) => ({ atMs: index * 1000, residentBytes: (400 + index) * MEBIBYTE })),
  },
  peakResidentBytes: 500 * MEBIBYTE,
};
const OPTIONS = {
  size: { services: 500, endpointsPerService: 10, pods: 500, namespaces: 10 },
  clients: 3,
  workers: 1,
  starts: 3,
  perSecond: 100,
  seconds: 600,
  debounceMaxMs: 100,
  timeoutMs: 1000,
  profileFolder: undefined,
};

test('each goal is judged by what was measured: of starts by the median', (t) => {
  t.deepEqual(
    judgeKubernetes(RESULT).map(({ name, met }) => [name, met]),
    [
      ['ready after start', true],
      ['resident memory, the most', true],
      ['write to proxy, p99', false],
      ['memory under churn', false],
    ],
  );
});

test('a short churn gives no result about slow memory growth', (t) => {
  const names = judgeKubernetes({ ...RESULT, churn: { ...RESULT.churn, seconds: 60 } }).map(({ name }) => name);
  t.false(names.includes('memory under churn'));
});

test('the report has the server beside its floor, and what did not arrive', (t) => {
  const text = formatKubernetesReport(OPTIONS, RESULT, createTerminalStyle(false, {}));
  t.regex(text, /server, ready +5000 +300 +350/);
  t.regex(text, /floor, listed +2500 +100/);
  t.regex(text, /ratio +2\.00x/);
  t.regex(text, /write to proxy +60\.0 +251\.0 +251\.0/);
  t.regex(text, /write to a bare watch \(floor\) +6\.0 +7\.0/);
  t.regex(text, /2 refused; 3 of 3000 did not come/);
  t.regex(text, /slope 60\.00 MiB\/min/);
  t.regex(text, /short +write to proxy, p99 +251 ms +\/ +250 ms/);
});
