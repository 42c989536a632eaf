import { type AddressRange, parseAddressRange } from '../../base/address-range.js';
import { addTo, removeFrom } from '../../base/set-map.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { type BucketedMap, BucketedMapWriter } from '../bucketed-map.js';
import { ClusterAddresses } from '../entries/cluster-addresses.js';
import type { EntryGuard } from '../entries/entry-guard.js';
import { type EntryOffence, entryOffences, isGuarded } from '../entries/entry-offences.js';
import { possibleNamespace } from '../entries/guarded-hosts.js';
import { clusterAddresses, type KubernetesService } from '../registry/kubernetes-service.js';
import type { ServiceEntry } from '../registry/service-entry.js';

/** A ServiceEntry and its cluster. */
export interface EntryId {
  readonly cluster: string;
  readonly key: ObjectKey;
}

/** An entry whose offences depend on Namespaces and Services. */
interface GuardedEntry extends EntryId {
  readonly ranges: readonly AddressRange[];
  readonly namespaces: ReadonlySet<string>;
}

const NO_OFFENCES: readonly EntryOffence[] = [];

/** The offences of ServiceEntries, kept up to date with Namespaces and Services. */
export class EntryTable {
  readonly #domain: string;
  #mesh: MeshConfig;
  readonly #addresses = new ClusterAddresses();
  /** Namespace objects and Services of all clusters, by namespace: a namespace exists while it has any. */
  readonly #known = new Map<string, Set<string>>();
  /** Clusters, by `<namespace>/<name>` of a Service. */
  readonly #services = new Map<string, Set<string>>();
  readonly #guarded = new Map<string, GuardedEntry>();
  readonly #offences = new BucketedMapWriter<readonly EntryOffence[]>();
  readonly #changedAddresses = new Set<string>();
  readonly #changedNamespaces = new Set<string>();

  constructor(domain: string, mesh: MeshConfig) {
    this.#domain = domain;
    this.#mesh = mesh;
  }

  /** The facts that decide which namespaces an entry affects, current at each call. */
  get guard(): EntryGuard {
    const { rootNamespace, serviceEntryScope, defaultServiceExportTo } = this.#mesh;
    return {
      domain: this.#domain,
      rootNamespace,
      serviceEntryScope,
      defaultServiceExportTo: defaultServiceExportTo.length === 0 ? ['*'] : defaultServiceExportTo,
      isNamespace: (name) => this.#known.has(name),
      isService: (name, namespace) => this.#services.has(`${namespace}/${name}`),
      foreignAddressIn: (range, namespace) => this.#addresses.foreignIn(range, namespace),
    };
  }

  /** Entries with offences, by key; the same map while its content is the same. */
  get offences(): BucketedMap<readonly EntryOffence[]> {
    return this.#offences.snapshot();
  }

  setMesh(mesh: MeshConfig): void {
    this.#mesh = mesh;
  }

  /** Updates the facts with an object; other kinds change nothing. */
  set(cluster: string, object: MeshObject): void {
    const { name, namespace } = object.metadata;
    if (object.kind === 'Namespace') this.#know(name, `${cluster}/`);
    else if (object.kind === 'Service') {
      this.#know(namespace, `${cluster}/${name}`);
      addTo(this.#services, `${namespace}/${name}`, cluster);
      this.#setAddresses(cluster, object, clusterAddresses(object as KubernetesService));
    }
  }

  delete(cluster: string, object: MeshObject): void {
    const { name, namespace } = object.metadata;
    if (object.kind === 'Namespace') this.#forget(name, `${cluster}/`);
    else if (object.kind === 'Service') {
      this.#forget(namespace, `${cluster}/${name}`);
      removeFrom(this.#services, `${namespace}/${name}`, cluster);
      this.#setAddresses(cluster, object, []);
    } else if (object.kind === 'ServiceEntry') {
      const key = keyOf(object);
      this.#guarded.delete(`${cluster}/${key}`);
      this.#offences.delete(key);
    }
  }

  /** The offences of an entry that is being translated. */
  judge(cluster: string, entry: ServiceEntry): readonly EntryOffence[] {
    const { guard } = this;
    const key = keyOf(entry);
    const id = `${cluster}/${key}`;
    if (isGuarded(entry, guard)) {
      const { hosts, addresses } = entry.body;
      const ranges = addresses.flatMap((address) => parseAddressRange(address) ?? []);
      this.#guarded.set(id, { cluster, key, ranges, namespaces: new Set(hosts.map(possibleNamespace)) });
    } else {
      this.#guarded.delete(id);
    }
    const offences = entryOffences(entry, guard);
    if (offences.length === 0) this.#offences.delete(key);
    else this.#offences.set(key, offences);
    return offences.length === 0 ? NO_OFFENCES : offences;
  }

  /** The entries whose offences may have changed since the last call. */
  takeStale(): readonly EntryId[] {
    if (this.#changedAddresses.size === 0 && this.#changedNamespaces.size === 0) return [];
    const addresses = [...this.#changedAddresses].sort();
    const stale = [...this.#guarded.values()].filter(
      ({ ranges, namespaces }) =>
        [...namespaces].some((namespace) => this.#changedNamespaces.has(namespace)) ||
        ranges.some((range) => hasAny(range, addresses)),
    );
    this.#changedAddresses.clear();
    this.#changedNamespaces.clear();
    return stale;
  }

  #know(namespace: string, source: string): void {
    if (this.#known.get(namespace)?.has(source) === true) return;
    addTo(this.#known, namespace, source);
    this.#changedNamespaces.add(namespace);
  }

  #forget(namespace: string, source: string): void {
    removeFrom(this.#known, namespace, source);
    this.#changedNamespaces.add(namespace);
  }

  #setAddresses(cluster: string, object: MeshObject, addresses: readonly string[]): void {
    const { name: service, namespace } = object.metadata;
    const changed = this.#addresses.set(`${cluster}/${keyOf(object)}`, { namespace, service }, addresses);
    for (const address of changed) this.#changedAddresses.add(address);
  }
}

/** @param sorted addresses */
function hasAny({ first, last }: AddressRange, sorted: readonly string[]): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < first) low = middle + 1;
    else high = middle;
  }
  const found = sorted[low];
  return found !== undefined && found <= last;
}
