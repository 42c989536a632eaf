import test from 'ava';
import { parseBenchOptions } from '../../../bench/cli/bench-options.js';
import { fanOutCommand } from '../../../bench/cli/fan-out-command.js';
import { parseFlags } from '../../../bench/cli/parsed-flags.js';
import { buildEndpointChanges } from '../../../bench/mesh/mesh-change.js';
import { buildMeshServices } from '../../../bench/mesh/mesh-shape.js';
import { buildBenchReport } from '../../../bench/report/bench-report.js';
import { judgeGoals } from '../../../bench/report/goals.js';
import { buildJsonReport } from '../../../bench/report/json-report.js';
import { formatTable } from '../../../bench/report/table.js';
import { createTerminalStyle } from '../../../bench/report/terminal-style.js';
import { formatTextReport } from '../../../bench/report/text-report.js';
import type { StepResult, SubjectResult } from '../../../bench/run/phase-result.js';
import type { Step } from '../../../bench/subject/subject.js';

const MEBIBYTE = 1024 * 1024;
const [CHANGE] = buildEndpointChanges(buildMeshServices({ services: 10, endpointsPerService: 1, namespaces: 1 }), 1);
const options = parseBenchOptions(parseFlags(fanOutCommand, []));
const plain = createTerminalStyle(false, {});

function stepResult(step: Step, clientMs: readonly number[], cpuSeconds: number): StepResult {
  return {
    step,
    clientMs,
    cpuSeconds,
    stayedMs: [],
    longestBlockMs: 12,
    receivedBytes: 10 * MEBIBYTE,
    residentBytes: 200 * MEBIBYTE,
    peakResidentBytes: 260 * MEBIBYTE,
    clientCpuSeconds: 0.5,
    recording: { clients: [], templates: [] },
  };
}

function subjectResult(factor: number): SubjectResult {
  if (CHANGE === undefined) throw new Error('no change was built');
  const change = { phase: 'endpoint', repeat: 0, change: CHANGE } as const;
  return {
    readyMs: [1000, 3000, 1500],
    idleBytes: [100 * MEBIBYTE],
    grownBytes: 160 * MEBIBYTE,
    steps: [
      stepResult({ phase: 'first-sync', repeat: 0 }, [100 * factor, 900 * factor], factor),
      stepResult({ phase: 'first-sync', repeat: 1 }, [100 * factor, 500 * factor], factor),
      stepResult({ phase: 'first-sync', repeat: 2 }, [100 * factor, 600 * factor], factor),
      stepResult(change, [100 + factor, 100 + 11 * factor], 0.05 * factor),
    ],
  };
}

const EXPECTED_TEXT = `
1000 services x 10 endpoints in 10 namespaces, 200 clients on 1 worker
ready 1500 ms after start, idle at 100 MiB; median of 3 repeats

                 first  median     p99    last  last-first  block  CPU s  RSS  peak  sent MiB  clients CPU s
first sync
  server         250.0   875.0  1500.0  1500.0      1250.0     12  2.500  200   260      10.0           0.50
  floor          100.0   350.0   600.0   600.0       500.0     12  1.000  200   260      10.0           0.50
  ratio                                  2.50x                     2.50x
endpoint change
  server         102.5   115.0   127.5   127.5        25.0     12  0.125  200   260      10.0           0.50
  floor          101.0   106.0   111.0   111.0        10.0     12  0.050  200   260      10.0           0.50
  ratio                                              2.50x         2.50x

Times in ms since the clients were let go (first sync) or since the change was written (changes: they include
the server's debounce, 100 ms at least; the floor has none). RSS and peak in MiB. CPU until quiet again.
Block: longest of the event loop, 10 ms at least.

Goals
  PASS   ready after start                              1.50 s  /   2.00 s
  short  first sync, last client, by the floor           2.50x  /    2.00x
  PASS   first sync, CPU, by the floor                   2.50x  /    3.00x
  PASS   endpoint change, last client after the first    25 ms  /    40 ms
  short  endpoint change, CPU                          0.125 s  /  0.100 s
  short  peak memory above idle                        160 MiB  /  150 MiB
`;

const run = { server: subjectResult(2.5), floor: subjectResult(1) };
const report = buildBenchReport(run, ['first-sync', 'endpoint']);

test('a first sync is compared by its last client, a change by the time between first and last', (t) => {
  const [sync, endpoint] = report.phases;
  t.is(sync?.server.clientMs.last, 1500);
  t.is(sync?.timeRatio, 2.5);
  t.is(sync?.cpuRatio, 2.5);
  t.is(endpoint?.server.lastMinusFirstMs, 25);
  t.is(endpoint?.timeRatio, 2.5);
  t.is(report.readyMs, 1500);
});

test('only measured goals are judged', (t) => {
  t.deepEqual(
    judgeGoals(report, options).map(({ name, value, met }) => [name, Math.round(value * 1000) / 1000, met]),
    [
      ['ready after start', 1.5, true],
      ['first sync, last client, by the floor', 2.5, false],
      ['first sync, CPU, by the floor', 2.5, true],
      ['endpoint change, last client after the first', 25, true],
      ['endpoint change, CPU', 0.125, false],
      ['peak memory above idle', 160, false],
    ],
  );
  const alone = buildBenchReport({ server: run.server, floor: undefined }, ['first-sync']);
  t.deepEqual(
    judgeGoals(alone, options).map(({ name }) => name),
    ['ready after start', 'peak memory above idle'],
  );
});

test('delta has the goals of its own, for 200 clients and for 500', (t) => {
  const goalsFor = (clients: number) =>
    judgeGoals(report, { protocol: 'delta', clients }).map(({ name, limit, met }) => [name, limit, met]);
  const endpoint = ['endpoint change, last client after the first', 30, true];
  t.deepEqual(goalsFor(500), [
    ['ready after start', 2, true],
    ['first sync, last client, by the floor', 1.5, false],
    ['first sync, CPU, by the floor', 2, false],
    ['first sync, CPU', 2, false],
    ['first sync, peak of memory', 250, false],
    endpoint,
    ['endpoint change, CPU', 0.06, false],
    ['longest block', 50, true],
  ]);
  t.deepEqual(goalsFor(200)[6], ['endpoint change, CPU', 0.03, false]);
});

test('the text shows server, floor, ratio and goals in one aligned table', (t) => {
  const text = formatTextReport(options, report, judgeGoals(report, options), plain);
  t.is(text, EXPECTED_TEXT);
  t.false(text.includes('\u001B'));
  t.true(text.split('\n').every((line) => line.length <= 120 && line === line.trimEnd()));
});

test('a server whose process cannot be measured has dashes in these columns', (t) => {
  const step = { phase: 'first-sync', repeat: 0 } as const;
  const blind = {
    ...stepResult(step, [1, 2], 0),
    cpuSeconds: undefined,
    residentBytes: undefined,
    peakResidentBytes: undefined,
  };
  const target = { readyMs: [], idleBytes: [], grownBytes: undefined, steps: [blind] };
  const blindReport = buildBenchReport({ server: target, floor: subjectResult(1) }, ['first-sync']);
  t.is(blindReport.phases[0]?.cpuRatio, undefined);
  const text = formatTextReport(
    { ...options, target: '127.0.0.1:1' },
    blindReport,
    judgeGoals(blindReport, options),
    plain,
  );
  t.regex(text, /^ {2}target +1\.0 +1\.5 +2\.0 +2\.0 +1\.0 +12 +- +- +- +10\.0 +0\.50$/m);
});

test('the JSON holds every repeat and none of the recorded bytes', (t) => {
  const document = JSON.parse(JSON.stringify(buildJsonReport(options, run, report, judgeGoals(report, options))));
  t.is(document.repeats.server.phases.length, 4);
  t.deepEqual(document.repeats.floor.phases[1].clientMs, { first: 100, median: 300, p99: 500, last: 500 });
  t.is(document.goals.length, 6);
  t.is(document.options.clients, 200);
  t.false(JSON.stringify(document).includes('recording'));
});

test('colours are used on terminals, unless NO_COLOR is set', (t) => {
  t.is(createTerminalStyle(true, {}).good('PASS'), '\u001B[32mPASS\u001B[0m');
  t.is(createTerminalStyle(true, { NO_COLOR: '1' }).good('PASS'), 'PASS');
  t.is(createTerminalStyle(true, { TERM: 'dumb' }).good('PASS'), 'PASS');
});

test('columns of a table are as wide as their widest cell', (t) => {
  t.deepEqual(
    formatTable([
      ['', 'first', 'last'],
      ['server', '1', '22222'],
      ['x', '', ''],
    ]),
    ['        first   last', 'server      1  22222', 'x'],
  );
});

test('a storm is reported with the clients that stayed connected, and judged by them', (t) => {
  if (CHANGE === undefined) throw new Error('no change was built');
  const step = { phase: 'storm', repeat: 0, change: CHANGE } as const;
  const measured = { ...stepResult(step, [1000, 5000], 1.5), stayedMs: [150, 250] };
  const report = buildBenchReport({ server: { ...subjectResult(1), steps: [measured] }, floor: subjectResult(1) }, [
    'storm',
  ]);
  const goals = judgeGoals(report, options);
  const text = formatTextReport({ ...options, phases: ['storm'] }, report, goals, plain);
  t.regex(text, /^ {2}change +150\.0 +200\.0 +250\.0 +250\.0 +100\.0$/m);
  t.deepEqual(
    goals.filter(({ name }) => name.startsWith('storm')).map(({ value, met }) => [value, met]),
    [
      [5, false],
      [1.5, true],
      [250, true],
    ],
  );
  const json = buildJsonReport(options, { server: subjectResult(1), floor: undefined }, report, goals);
  t.regex(JSON.stringify(json), /"stayedMs"/);
});
