import { appendTo } from '../../../base/append-to.js';
import { comparePrecedence, type VirtualService } from './virtual-service.js';

/** VirtualServices by host. */
export interface HostTable {
  /** In order of precedence. */
  readonly all: readonly VirtualService[];
  readonly hasWildcards: boolean;
  /** Those for exactly this host, or this wildcard, in order of precedence. */
  of(host: string): readonly VirtualService[];
}

const NONE: readonly VirtualService[] = [];

/** @param all in order of precedence */
export function createHostTable(all: readonly VirtualService[]): HostTable {
  const byHost = new Map<string, VirtualService[]>();
  for (const virtualService of all) {
    for (const host of virtualService.hosts) {
      appendTo(byHost, host, virtualService);
    }
  }
  const hasWildcards = [...byHost.keys()].some((host) => host.startsWith('*'));
  return { all, hasWildcards, of: (host) => byHost.get(host) ?? NONE };
}

/** The VirtualServices for a host: those that name it, then those with wildcards, the longest first. */
export function candidatesFor(tables: readonly HostTable[], hostname: string): Iterable<VirtualService> {
  // Each view asks for each of its services.
  return tables.some(({ hasWildcards }) => hasWildcards)
    ? candidatesWithWildcards(tables, hostname)
    : inAll(tables, hostname);
}

function* candidatesWithWildcards(tables: readonly HostTable[], hostname: string): Iterable<VirtualService> {
  yield* inAll(tables, hostname);
  const labels = (hostname.startsWith('*.') ? hostname.slice(2) : hostname).split('.');
  for (let index = hostname.startsWith('*.') ? 0 : 1; index < labels.length; index++) {
    const wildcard = `*.${labels.slice(index).join('.')}`;
    if (wildcard !== hostname) yield* inAll(tables, wildcard);
  }
  yield* inAll(tables, '*');
}

function inAll(tables: readonly HostTable[], host: string): readonly VirtualService[] {
  const [only, ...others] = tables;
  if (only !== undefined && others.length === 0) return only.of(host);
  const found = tables.map((table) => table.of(host)).filter((list) => list.length > 0);
  return found.length === 1 ? (found[0] ?? NONE) : found.flat().sort(comparePrecedence);
}
