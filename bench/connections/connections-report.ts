import { median } from '../measure/statistics.js';
import { formatGoals } from '../report/format-goals.js';
import type { Goal } from '../report/goals.js';
import { formatTable } from '../report/table.js';
import type { TerminalStyle } from '../report/terminal-style.js';
import type { ChangeFigure, ConnectedFigure, ConnectionsResult } from './measure-connections.js';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** The goals are set for 10,000 sidecars of an equal scope and 1,000 services x 10 endpoints on two cores. */
export function judgeConnections(result: ConnectionsResult): readonly Goal[] {
  const { changes } = result;
  const resident = Math.max(...changes.map(({ residentBytes }) => residentBytes)) / MEBIBYTE;
  const lastMs = median(changes.map(({ clientMs }) => clientMs.last - clientMs.first));
  const cpuSeconds = median(changes.map((change) => change.cpuSeconds));
  return [
    judge('memory for each sidecar', 'KiB', 60, result.bytesPerSidecar / KIBIBYTE),
    judge('endpoint change, last sidecar after the first', 'ms', 1000, lastMs),
    judge('endpoint change, CPU', 's', 1, cpuSeconds),
    judge('endpoint change, resident afterwards', 'MiB', 900, resident),
    judge('sidecars turned away', '', 0, result.turnedAway),
  ];
}

function judge(name: string, unit: Goal['unit'], limit: number, value: number): Goal {
  return { name, unit, limit, value, met: value <= limit };
}

/** The result as text for a person, with a line break at its end. */
export function formatConnectionsReport(result: ConnectionsResult, style: TerminalStyle): string {
  const { few, all, changes } = result;
  const connected = [
    ['', 'connected', 'CPU s', 'RSS MiB', 'peak'],
    ...[few, all].map((figure) => formatConnected(figure)),
  ];
  const changed = [
    ['endpoint change', 'first', 'median', 'p99', 'last', 'last-first', 'block', 'CPU s', 'RSS MiB', 'peak'],
    ...changes.map(formatChange),
  ];
  const indent = (line: string) => `  ${line}`;
  return [
    '',
    style.bold(`${all.clients} delta sidecars of an equal scope; server idle at ${mebibytes(result.idleBytes)} MiB`),
    '',
    ...formatTable(connected).map(indent),
    '',
    ...formatTable(changed).map(indent),
    '',
    style.dim("Times in ms since the file was written, with the server's debounce. CPU of the server's process."),
    ...(result.turnedAway === 0 ? [] : [style.bad(`First sidecar turned away: ${result.turnedAwayReason}`)]),
    '',
    style.bold('Goals'),
    ...formatGoals(judgeConnections(result), style),
    '',
  ].join('\n');
}

function formatConnected(figure: ConnectedFigure): readonly string[] {
  return [
    `${figure.clients} sidecars`,
    `${(figure.connectMs / 1000).toFixed(1)} s`,
    figure.cpuSeconds.toFixed(1),
    mebibytes(figure.residentBytes),
    mebibytes(figure.peakResidentBytes),
  ];
}

function formatChange({ clientMs, ...figure }: ChangeFigure, index: number): readonly string[] {
  const { first, median: middle, p99, last } = clientMs;
  return [
    String(index + 1),
    ...[first, middle, p99, last, last - first, figure.longestBlockMs ?? Number.NaN].map((ms) => ms.toFixed(0)),
    figure.cpuSeconds.toFixed(3),
    mebibytes(figure.residentBytes),
    mebibytes(figure.peakResidentBytes),
  ];
}

function mebibytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(0);
}
