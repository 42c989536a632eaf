import { isRecord } from '../../base/record.js';
import { type PageServer, readJsonPage } from '../page-server.js';

/** The types of resources, as the page names them, and their usual abbreviations. */
export const TYPES = [
  ['cluster', 'CDS'],
  ['listener', 'LDS'],
  ['route', 'RDS'],
  ['virtual_host', 'VHDS'],
  ['endpoint', 'EDS'],
  ['extension_config', 'ECDS'],
] as const;

/**
 * `SYNCED`: the proxy has acknowledged the last response. `STALE`: not yet. `REJECTED`: it has rejected the last one and
 * keeps its earlier configuration. `NOT SENT`: it subscribes, and no response was needed yet.
 */
export type SyncState = 'SYNCED' | 'STALE' | 'REJECTED' | 'NOT SENT';

/** One type of resources at one proxy. */
export interface TypeStatus {
  /** `CDS` */
  readonly type: string;
  readonly state: SyncState;
  readonly sentNonce?: string;
  readonly ackedNonce?: string;
  /** Time of the last response, while the proxy has not acknowledged it. */
  readonly waitingSince?: string;
  /** Error code and text of the proxy. */
  readonly rejection?: string;
  /** The same of an earlier rejection: the proxy now has what it should have. */
  readonly pastRejection?: string;
  /** Objects that may have caused the rejection, as `Kind/namespace/name`. */
  readonly rejectedObjects?: readonly string[];
}

/** One connected proxy. */
export interface ProxyRow {
  /** Node id. */
  readonly proxy: string;
  /** `web-1.shop`: name and namespace of the workload. */
  readonly workload: string;
  /** The replica that the proxy is connected to. */
  readonly server: string;
  /** The worst state of its types. */
  readonly state: SyncState;
  readonly version?: string;
  readonly types: readonly TypeStatus[];
}

const WORST_FIRST: readonly SyncState[] = ['REJECTED', 'STALE', 'NOT SENT', 'SYNCED'];

/**
 * The proxies that are connected to all servers: worst state first, then by name.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function readProxyRows(servers: readonly PageServer[]): Promise<readonly ProxyRow[]> {
  const pages = await Promise.all(
    servers.map(async (server) => rowsOf(server.name, await readJsonPage(server, '/debug/syncz'))),
  );
  const rank = ({ state }: ProxyRow): number => WORST_FIRST.indexOf(state);
  return pages.flat().sort((first, second) => rank(first) - rank(second) || compare(first.workload, second.workload));
}

function rowsOf(server: string, page: unknown): readonly ProxyRow[] {
  if (!Array.isArray(page)) return [];
  return page.filter(isRecord).map((status) => rowOf(server, status));
}

function rowOf(server: string, status: Readonly<Record<string, unknown>>): ProxyRow {
  const proxy = textOf(status['proxy']) ?? '';
  const version = textOf(status['proxy_version']);
  const types = TYPES.flatMap(([field, type]) => typeStatus(type, field, status));
  const state = WORST_FIRST.find((each) => types.some((type) => type.state === each)) ?? 'NOT SENT';
  const workload = proxy.split('~')[2] ?? proxy;
  return { proxy, workload, server, state, ...(version === undefined ? {} : { version }), types };
}

function typeStatus(type: string, field: string, status: Readonly<Record<string, unknown>>): readonly TypeStatus[] {
  const sentNonce = textOf(status[`${field}_sent`]);
  const ackedNonce = textOf(status[`${field}_acked`]);
  const rejection = textOf(status[`${field}_rejection`]);
  const waitingSince = textOf(status[`${field}_waiting_since`]);
  const pastRejection = textOf(status[`${field}_past_rejection`]);
  const objects = status[`${field}_rejection_objects`] ?? status[`${field}_past_rejection_objects`];
  if (sentNonce === undefined && rejection === undefined) return [];
  return [
    {
      type,
      state: rejection !== undefined ? 'REJECTED' : sentNonce === ackedNonce ? 'SYNCED' : 'STALE',
      ...(sentNonce === undefined ? {} : { sentNonce }),
      ...(ackedNonce === undefined ? {} : { ackedNonce }),
      ...(waitingSince === undefined ? {} : { waitingSince }),
      ...(rejection === undefined ? {} : { rejection }),
      ...(pastRejection === undefined ? {} : { pastRejection }),
      ...(Array.isArray(objects) ? { rejectedObjects: objects.filter((each) => typeof each === 'string') } : {}),
    },
  ];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function compare(first: string, second: string): number {
  return first < second ? -1 : Number(first > second);
}
