import type { MeshConfig } from '../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../config/mesh/mesh-networks.js';
import type { MeshObject, ObjectKey } from '../config/object.js';
import type { ServiceEndpoints } from './endpoint.js';
import type { EntryOffence } from './entries/entry-offences.js';
import type { Finding } from './finding.js';
import type { BindingGrants } from './policy/binding-grants.js';
import type { Proxy, ServiceTarget } from './proxy.js';
import type { PeerAuthentications } from './security/peer-authentications.js';
import type { SharedPort } from './served-ports.js';
import type { Service } from './service.js';
import type { MeshTraffic } from './traffic/mesh-traffic.js';

/**
 * The services that a namespace may see (exportTo). Namespaces that see the same services share the very
 * same view object, so a generator's scope may name the view instead of the namespace.
 */
export interface ServiceView {
  /** Equal ids have equal content within one snapshot; the id is stable while the content is. */
  readonly id: string;
  /** Oldest first, then by hostname: the order in which conflicts are decided. */
  readonly services: readonly Service[];
}

/** Read-only lookup that a snapshot offers over a persistent map. */
export interface Lookup<Key, Value> {
  get(key: Key): Value | undefined;
  readonly size: number;
  entries(): IterableIterator<[Key, Value]>;
}

/**
 * The immutable snapshot of the mesh that everything is generated from
 * (docs/architecture.md#how-a-change-reaches-a-proxy). A change makes the next one, which shares whatever did not
 * change.
 */
export interface PushContext {
  /** Counts snapshots, from 1. */
  readonly sequence: number;
  /** RFC 3339 time and counter, `<time>/<sequence>`: the version_info of what is generated from it. */
  readonly version: string;
  readonly mesh: MeshConfig;
  readonly networks: MeshNetworks;
  /** DNS suffix of the cluster, `--domain`. */
  readonly domain: string;
  /** Sorted by hostname. When two registries claim one host, the first registered wins. */
  readonly services: readonly Service[];
  readonly servicesByHost: ReadonlyMap<string, Service>;
  /** The other services of hosts that several namespaces claim; only some namespaces see those instead. */
  readonly shadowedByHost: Lookup<string, readonly Service[]>;
  /**
   * By hostname, for the services of `servicesByHost`. A service that only some namespaces see instead has its
   * own under `<hostname>/<namespace>`: `endpointsOf` finds either.
   */
  readonly endpoints: Lookup<string, ServiceEndpoints>;
  /** All objects by kind, for configz, status and analysis. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  /** Which workloads take mutual TLS. */
  readonly peerAuthentications: PeerAuthentications;
  /** The clusters of services and their policies. */
  readonly traffic: MeshTraffic;
  /** ServiceEntries that claim what is not their namespace's, and act on it alone for that. */
  readonly entryOffences: ReadonlyMap<ObjectKey, readonly EntryOffence[]>;
  /** Which namespaces let bindings of others act on them. */
  readonly bindingGrants: BindingGrants;
  /** What the translation into services and endpoints met (endpoint_no_pod, nav_endpoint_not_ready, …). */
  readonly findings: readonly Finding[];
  /** Ports of workloads that several services lead to: policies of one of them hold there. Same ports, same array. */
  readonly sharedPorts: readonly SharedPort[];
  /** The services that proxies of a namespace may see. */
  viewOf(namespace: string): ServiceView;
  /**
   * The same services, with the addresses that they have in a proxy's cluster, and in the order in which conflicts over
   * addresses are decided there.
   *
   * @param cluster that the proxy says it is in; one that is not read counts as the control plane's own
   */
  viewIn(namespace: string, cluster: string | undefined): ServiceView;
  /** The cluster that a proxy is in by what it says: one that is not read, or none, is the control plane's own. */
  clusterOf(said: string | undefined): string;
  /** The proxy's own services, by its addresses; sorted by hostname and port. Same targets, same array. */
  targetsOf(proxy: Proxy): readonly ServiceTarget[];
}
