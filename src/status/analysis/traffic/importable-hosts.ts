import { resolveHost } from '../../../config/networking/host-names.js';
import type { MeshObject, ObjectKey } from '../../../config/object.js';
import { createMemo } from '../../../model/memo.js';
import type { Service } from '../../../model/service.js';
import type { VirtualServicePart } from './traffic-specs.js';

/** The hosts of services and VirtualServices, by the namespaces from which a Sidecar can import them. */
export interface ImportableHosts {
  /**
   * Whether a host of a Sidecar imports anything that its namespace sees.
   *
   * @param from namespace of the objects; `*` for all
   * @param host `*`, `*.example.com` or a whole name
   * @param viewer namespace of the workloads; undefined for the workloads of all namespaces
   */
  has(from: string, host: string, viewer: string | undefined): boolean;
}

/** Hosts with the same visibility. */
interface HostSet {
  readonly exact: Set<string>;
  /** `.example.com` for each host below example.com. */
  readonly suffixes: Set<string>;
  /** `.example.com` for `*.example.com`. */
  readonly wildcards: Set<string>;
}

const EVERY = '*';

/** Makes the hosts of each snapshot. Keep one: it reads them again only if services or VirtualServices have changed. */
export type ImportableHostsIndexer = (
  services: readonly Service[],
  virtualServices: ReadonlyMap<ObjectKey, MeshObject> | undefined,
  domain: string,
) => ImportableHosts;

export function createImportableHostsIndexer(): ImportableHostsIndexer {
  const memo = createMemo<ImportableHosts>();
  return (services, virtualServices, domain) =>
    memo.of([services, virtualServices ?? services], domain, () =>
      createImportableHosts(services, virtualServices?.values(), domain),
    );
}

function createImportableHosts(
  services: readonly Service[],
  virtualServices: Iterable<MeshObject> = [],
  domain: string,
): ImportableHosts {
  /** By namespace of the object and namespace that sees it; `*` for all. */
  const sets = new Map<string, HostSet>();
  const add = (namespace: string, viewers: readonly string[], host: string): void => {
    for (const viewer of viewers) {
      const seenBy = viewer === '.' ? namespace : viewer;
      for (const from of [namespace, EVERY]) {
        for (const by of seenBy === EVERY ? [EVERY] : [seenBy, ANY]) addHost(setOf(sets, `${from} ${by}`), host);
      }
    }
  };
  for (const { namespace, exportTo, hostname } of services) add(namespace, exportTo, hostname.toLowerCase());
  for (const { body, metadata } of virtualServices) {
    const { hosts = [] } = body as VirtualServicePart;
    for (const host of hosts) add(metadata.namespace, [EVERY], resolveHost(host, metadata.namespace, domain));
  }
  return {
    has: (from, host, viewer) =>
      [EVERY, viewer ?? ANY].some((by) => {
        const set = sets.get(`${from} ${by}`);
        return set !== undefined && includes(set, host.toLowerCase());
      }),
  };
}

/** Stands for the namespaces that see an object with a limited exportTo. */
const ANY = '+';

function setOf(sets: Map<string, HostSet>, key: string): HostSet {
  let set = sets.get(key);
  if (set === undefined) {
    set = { exact: new Set(), suffixes: new Set(), wildcards: new Set() };
    sets.set(key, set);
  }
  return set;
}

function addHost({ exact, suffixes, wildcards }: HostSet, host: string): void {
  exact.add(host);
  if (host.startsWith('*.')) wildcards.add(host.slice(1));
  for (const suffix of suffixesOf(host)) suffixes.add(suffix);
}

function includes({ exact, suffixes, wildcards }: HostSet, host: string): boolean {
  if (host === EVERY || exact.has(host)) return true;
  if (host.startsWith('*.')) return suffixes.has(host.slice(1));
  for (const suffix of suffixesOf(host)) if (wildcards.has(suffix)) return true;
  return false;
}

/** `.b.c` and `.c` for `a.b.c`. */
function* suffixesOf(host: string): Iterable<string> {
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield host.slice(dot);
}
