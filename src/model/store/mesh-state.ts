import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../../config/mesh/mesh-networks.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { ServiceEndpoints } from '../endpoint.js';
import type { EntryOffence } from '../entries/entry-offences.js';
import type { Finding } from '../finding.js';
import type { BindingGrants } from '../policy/binding-grants.js';
import type { ServiceTarget } from '../proxy.js';
import type { Lookup } from '../push-context.js';
import type { PeerAuthentications } from '../security/peer-authentications.js';
import type { SharedPort } from '../served-ports.js';
import type { Service } from '../service.js';
import type { ClusterViews } from '../snapshot/cluster-views.js';
import type { ServiceViews } from '../snapshot/service-views.js';
import type { TargetInterner } from '../snapshot/workload-targets.js';
import type { MeshTraffic } from '../traffic/mesh-traffic.js';

/** Everything a push context is made of, as the stores had it at one moment; immutable. */
export interface MeshState {
  readonly mesh: MeshConfig;
  readonly networks: MeshNetworks;
  readonly domain: string;
  /** Sorted by hostname; one per host. */
  readonly services: readonly Service[];
  readonly servicesByHost: ReadonlyMap<string, Service>;
  readonly shadowedByHost: Lookup<string, readonly Service[]>;
  readonly endpoints: Lookup<string, ServiceEndpoints>;
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  /** ServiceEntries that claim what is not their namespace's, and act on it alone for that. */
  readonly entryOffences: ReadonlyMap<ObjectKey, readonly EntryOffence[]>;
  /** Which namespaces let bindings of others act on them. */
  readonly bindingGrants: BindingGrants;
  readonly peerAuthentications: PeerAuthentications;
  readonly traffic: MeshTraffic;
  readonly findings: readonly Finding[];
  readonly views: ServiceViews;
  /** The control plane's own, whether it has objects or not. */
  readonly ownCluster: string;
  /** Those that have objects. */
  readonly clusters: ReadonlySet<string>;
  readonly clusterViews: ClusterViews;
  /** Own services of a workload, by `workloadKey`. */
  readonly targets: Lookup<string, readonly ServiceTarget[]>;
  readonly sharedPorts: readonly SharedPort[];
  readonly interner: TargetInterner;
}
