import type { Paint, Tone } from '../../base/paint.js';
import { printable } from '../../base/printable.js';
import { count } from '../count.js';
import { type Cell, renderTable } from '../table.js';
import { type ProxyRow, type SyncState, TYPES, type TypeStatus } from './proxy-rows.js';

const TONES: Readonly<Record<SyncState, Tone>> = {
  SYNCED: 'good',
  STALE: 'warning',
  REJECTED: 'bad',
  'NOT SENT': 'dim',
};
/** Columns that are left out when no proxy subscribes to the type. */
const RARE: ReadonlySet<string> = new Set(['VHDS', 'ECDS']);

/** The table of all proxies, for people. */
export function renderProxies(rows: readonly ProxyRow[], servers: number, paint: Paint): string {
  if (rows.length === 0) return `no proxy is connected to ${count(servers, 'server')}\n`;
  const types = TYPES.map(([, type]) => type).filter(
    (type) => !RARE.has(type) || rows.some((row) => row.types.some((each) => each.type === type)),
  );
  const table = renderTable(
    ['PROXY', ...types, 'VERSION', 'SERVER'],
    rows.map((row) => [
      { text: row.workload },
      ...types.map((type) => stateCell(row.types.find((each) => each.type === type))),
      { text: row.version ?? '-' },
      { text: row.server },
    ]),
    paint,
  );
  return `${table}\n${summary(rows, servers)}\n`;
}

function stateCell(status: TypeStatus | undefined): Cell {
  return status === undefined ? { text: '-', tone: 'dim' } : { text: status.state, tone: TONES[status.state] };
}

function summary(rows: readonly ProxyRow[], servers: number): string {
  const rejected = rows.filter(({ state }) => state === 'REJECTED').length;
  const stale = rows.filter(({ state }) => state === 'STALE').length;
  const parts = [`${count(rows.length, 'proxy')} at ${count(servers, 'server')}`];
  if (rejected > 0) parts.push(`${rejected} rejected configuration: proxy-status <proxy> says why`);
  if (stale > 0) parts.push(`${stale} did not answer the last response yet`);
  return parts.join('; ');
}

/** Everything about one proxy, for people. */
export function renderProxy(row: ProxyRow, now: Date, paint: Paint): string {
  const head = [
    `${paint('proxy', 'heading')}    ${printable(row.proxy)}`,
    `${paint('version', 'heading')}  ${printable(row.version ?? 'unknown')}`,
    `${paint('server', 'heading')}   ${printable(row.server)}`,
  ];
  const table = renderTable(
    ['TYPE', 'STATE', 'WAITING', 'SENT NONCE', 'ACKNOWLEDGED NONCE'],
    row.types.map((type) => [
      { text: type.type },
      stateCell(type),
      { text: type.waitingSince === undefined ? '-' : ageOf(type.waitingSince, now) },
      { text: type.sentNonce ?? '-' },
      { text: type.ackedNonce ?? '-' },
    ]),
    paint,
  );
  const rejections = row.types.flatMap(({ type, rejection, pastRejection, rejectedObjects = [] }) => {
    const text = rejection ?? pastRejection;
    if (text === undefined) return [];
    const title =
      rejection === undefined ? paint(`${type} rejected earlier`, 'warning') : paint(`${type} rejected`, 'bad');
    const objects = rejectedObjects.map(
      (object, index) => `  ${index === 0 ? 'caused by' : 'or by'} ${paint(printable(object), 'heading')}`,
    );
    return [`${title}  ${printable(text.trimEnd())}`, ...objects];
  });
  return [head.join('\n'), '\n\n', table, ...(rejections.length === 0 ? [] : ['\n', rejections.join('\n'), '\n'])].join(
    '',
  );
}

function ageOf(since: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return '-';
  if (seconds < 120) return `${seconds}s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)}m` : `${Math.round(seconds / 3600)}h`;
}
