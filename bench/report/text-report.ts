import type { BenchOptions } from '../cli/bench-options.js';
import { DEBOUNCE_MS } from '../subject/launch-discovery.js';
import type { Phase } from '../subject/subject.js';
import { type BenchReport, isSync, type PhaseReport, type PhaseSummary } from './bench-report.js';
import { formatGoals } from './format-goals.js';
import type { Goal } from './goals.js';
import { formatTable } from './table.js';
import type { TerminalStyle } from './terminal-style.js';

const MEBIBYTE = 1024 * 1024;
const NONE = '-';
const PHASE_TITLES: Readonly<Record<Phase, string>> = {
  'first-sync': 'first sync',
  endpoint: 'endpoint change',
  service: 'service change',
  route: 'route change',
  reconnect: 'reconnect',
  storm: 'storm',
};
const HEADINGS = [
  '',
  'first',
  'median',
  'p99',
  'last',
  'last-first',
  'block',
  'CPU s',
  'RSS',
  'peak',
  'sent MiB',
  'clients CPU s',
];

/** The text report: measurements, table and goals. */
export function formatTextReport(
  options: BenchOptions,
  report: BenchReport,
  goals: readonly Goal[],
  style: TerminalStyle,
): string {
  const rows = [HEADINGS, ...report.phases.flatMap((phase) => formatPhase(phase, options))];
  const [headings = '', ...lines] = formatTable(rows);
  const table = lines.map((line) => (line.startsWith('  ') ? line : style.bold(line)));
  return [
    '',
    ...formatHeader(options, report, style),
    '',
    style.dim(headings),
    ...table,
    '',
    style.dim(
      'Times in ms since the clients were let go (first sync) or since the change was written (changes: they include',
    ),
    style.dim(
      `the server's debounce, ${DEBOUNCE_MS} ms at least; the floor has none). RSS and peak in MiB. CPU until quiet again.`,
    ),
    style.dim('Block: longest of the event loop, 10 ms at least.'),
    ...(goals.length === 0 ? [] : ['', style.bold('Goals'), ...formatGoals(goals, style)]),
    '',
  ].join('\n');
}

function formatHeader(options: BenchOptions, report: BenchReport, style: TerminalStyle): readonly string[] {
  const { size } = options;
  const mesh =
    options.target === undefined || options.meshDir !== undefined
      ? `${size.services} services x ${size.endpointsPerService} endpoints in ${size.namespaces} namespaces${options.source === 'kubernetes' ? ' of an API server' : ''}, `
      : '';
  const workers = `${options.workers} worker${options.workers === 1 ? '' : 's'}`;
  const start =
    report.readyMs === undefined
      ? `target ${options.target ?? ''}`
      : `ready ${fixed(report.readyMs, 0)} ms after start, idle at ${mebibytes(report.idleBytes)} MiB`;
  return [
    style.bold(
      `${mesh}${options.clients} ${options.protocol === 'delta' ? 'delta ' : ''}clients${options.onDemand ? ' on demand and one that is not,' : ''} on ${workers}`,
    ),
    `${start}; median of ${options.repeat} repeat${options.repeat === 1 ? '' : 's'}`,
  ];
}

function formatPhase(report: PhaseReport, options: BenchOptions): readonly (readonly string[])[] {
  const rows = [
    [PHASE_TITLES[report.phase]],
    formatSummary(options.target === undefined ? '  server' : '  target', report.server),
    ...formatStayed(report.server),
    ...formatUnseen(report.server),
  ];
  if (report.floor === undefined) return rows;
  rows.push(formatSummary('  floor', report.floor));
  const time = ratio(report.timeRatio);
  const isTotal = isSync(report.phase);
  rows.push(['  ratio', '', '', '', isTotal ? time : '', isTotal ? '' : time, '', ratio(report.cpuRatio)]);
  return rows;
}

function formatSummary(title: string, summary: PhaseSummary): string[] {
  const { clientMs } = summary;
  return [
    title,
    fixed(clientMs.first, 1),
    fixed(clientMs.median, 1),
    fixed(clientMs.p99, 1),
    fixed(clientMs.last, 1),
    fixed(summary.lastMinusFirstMs, 1),
    fixed(summary.longestBlockMs, 0),
    fixed(summary.cpuSeconds, 3),
    mebibytes(summary.residentBytes),
    mebibytes(summary.peakResidentBytes),
    fixed(summary.receivedBytes / MEBIBYTE, 1),
    fixed(summary.clientCpuSeconds, 2),
  ];
}

/** The clients that stayed connected in a storm. */
function formatStayed({ stayedMs }: PhaseSummary): readonly (readonly string[])[] {
  if (stayedMs === undefined) return [];
  const { first, median, p99, last } = stayedMs;
  return [['  change', ...[first, median, p99, last, last - first].map((value) => fixed(value, 1))]];
}

/** What sidecars on demand received of a change that they should not get. */
function formatUnseen({ unseenBytes }: PhaseSummary): readonly (readonly string[])[] {
  if (unseenBytes === undefined) return [];
  return [['  on demand', '', '', '', '', '', '', '', '', '', fixed(unseenBytes / MEBIBYTE, 1)]];
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? NONE : value.toFixed(digits);
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? NONE : fixed(bytes / MEBIBYTE, 0);
}

function ratio(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? NONE : `${value.toFixed(2)}x`;
}
