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

/** The content of the stores at one moment, of which a push context is made; immutable. */
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
  /**
   * ServiceEntries that claim hosts or addresses of other namespaces without permission, and so act on their own
   * namespace alone.
   */
  readonly entryOffences: ReadonlyMap<ObjectKey, readonly EntryOffence[]>;
  /** The namespaces that each namespace allows to bind policies to its services. */
  readonly bindingGrants: BindingGrants;
  readonly peerAuthentications: PeerAuthentications;
  readonly traffic: MeshTraffic;
  readonly findings: readonly Finding[];
  readonly views: ServiceViews;
  /** The cluster of the control plane, with or without objects. */
  readonly ownCluster: string;
  /** Those that have objects. */
  readonly clusters: ReadonlySet<string>;
  readonly clusterViews: ClusterViews;
  /** Services of each workload, by `workloadKey`. */
  readonly targets: Lookup<string, readonly ServiceTarget[]>;
  readonly sharedPorts: readonly SharedPort[];
  readonly interner: TargetInterner;
}
