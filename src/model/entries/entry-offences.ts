import { type AddressRange, overlaps, parseAddressRange } from '../../base/address-range.js';
import { isHttpProtocol, isTlsProtocol } from '../../config/networking/port-protocol.js';
import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { MeshObject } from '../../config/object.js';
import { isOfOperator } from '../operator-object.js';
import type { EntryGuard } from './entry-guard.js';
import { hostGuardReason } from './guarded-hosts.js';

/** A host or address that an entry claims in other namespaces without permission. It has no effect there. */
export interface EntryOffence {
  /** Below `spec`. */
  readonly path: string;
  readonly value: unknown;
  readonly message: string;
  readonly remedy: string;
  /** The host concerned; absent for the whole entry. */
  readonly host?: string;
  /** Whether admission rejects the object; otherwise it accepts with a warning. */
  readonly isRefused: boolean;
}

type Entry = MeshObject<string, ServiceEntrySpec>;

/** The namespaces of `exportTo`, or those of the mesh config without it. */
export function exportToOf(
  { exportTo }: ServiceEntrySpec,
  defaultServiceExportTo: readonly string[],
): readonly string[] {
  return exportTo.length === 0 ? defaultServiceExportTo : exportTo;
}

/** Whether the rules apply: the entry is from a cluster and exported beyond its namespace. */
export function isGuarded(entry: Entry, guard: EntryGuard): boolean {
  if (isOfOperator(entry, guard.rootNamespace)) return false;
  if (guard.serviceEntryScope === 'ALL_NAMESPACES') return false;
  const { namespace } = entry.metadata;
  return exportToOf(entry.body, guard.defaultServiceExportTo).some((item) => item !== '.' && item !== namespace);
}

/** The offences of an entry. */
export function entryOffences(entry: Entry, guard: EntryGuard): readonly EntryOffence[] {
  if (!isGuarded(entry, guard)) return [];
  const remedy = `set exportTo to ["."], or create the entry in the root namespace ${guard.rootNamespace}`;
  if (guard.serviceEntryScope === 'OWN_NAMESPACE') {
    const value = exportToOf(entry.body, guard.defaultServiceExportTo);
    const message = 'names other namespaces, which serviceEntryScope OWN_NAMESPACE of the mesh config does not allow';
    return [{ path: 'exportTo', value, message, remedy, isRefused: false }];
  }
  return [
    ...hostOffences(entry, guard, remedy),
    ...addressOffences(entry, guard, remedy),
    ...portOffences(entry, remedy),
  ];
}

function hostOffences({ body, metadata }: Entry, guard: EntryGuard, remedy: string): readonly EntryOffence[] {
  return body.hosts.flatMap((host, index) => {
    const why = hostGuardReason(host, metadata.namespace, guard);
    if (why === undefined) return [];
    const message = `${why}, which namespace ${metadata.namespace} may not give to other namespaces`;
    return { path: `hosts[${index}]`, value: host, message, remedy, host, isRefused: true };
  });
}

function addressOffences({ body, metadata }: Entry, guard: EntryGuard, remedy: string): readonly EntryOffence[] {
  const isTooWide = createCoverage();
  return body.addresses.flatMap((address, index) => {
    const range = parseAddressRange(address);
    if (range === undefined) return [];
    const why = isTooWide(range)
      ? `covers too much for other namespaces: all ranges of an entry together may be as wide as one /${WIDEST_EXPORTED_RANGE[range.family]}`
      : (specialRangeReason(range) ?? foreignAddressReason(guard.foreignAddressIn(range, metadata.namespace)));
    if (why === undefined) return [];
    return { path: `addresses[${index}]`, value: address, message: why, remedy, isRefused: true };
  });
}

function foreignAddressReason(found: ReturnType<EntryGuard['foreignAddressIn']>): string | undefined {
  return found && `has ${found.address}, the cluster IP of Service ${found.namespace}/${found.service}`;
}

/**
 * A port of an entry without addresses that neither host nor server name identifies takes every connection to its
 * number.
 */
function portOffences({ body }: Entry, remedy: string): readonly EntryOffence[] {
  if (body.addresses.length > 0 || body.resolution === 'NONE') return [];
  return body.ports.flatMap(({ number, protocol }, index) => {
    if (isHttpProtocol(protocol) || isTlsProtocol(protocol) || protocol.toUpperCase() === 'UDP') return [];
    const message = `takes every connection to port ${number} that is neither HTTP nor TLS, because the entry has no addresses`;
    return { path: `ports[${index}]`, value: number, message, remedy: `list addresses, ${remedy}`, isRefused: false };
  });
}

/**
 * The widest range for other namespaces, by family, as a prefix length. All ranges of one entry together cover at most
 * as many addresses.
 */
const WIDEST_EXPORTED_RANGE = { 4: 16, 6: 64 } as const;

/** Ranges with a local meaning at every workload, or from which the mesh assigns addresses. */
const SPECIAL: readonly (readonly [range: string, name: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
];
const SPECIAL_RANGES = SPECIAL.map(([text, name]) => ({ range: parseAddressRange(text) as AddressRange, text, name }));

/** Sums up the ranges of one entry; returns the reason when they exceed the limit. */
function createCoverage(): (range: AddressRange) => boolean {
  const left = { 4: 1, 6: 1 };
  return ({ family, bits }) => {
    left[family] -= 2 ** (WIDEST_EXPORTED_RANGE[family] - bits);
    return left[family] < 0;
  };
}

/** The reason why only the root namespace may export the range; undefined where others may. */
function specialRangeReason(range: AddressRange): string | undefined {
  const found = SPECIAL_RANGES.find((special) => overlaps(special.range, range));
  return found === undefined ? undefined : `has ${found.name} addresses (${found.text})`;
}
