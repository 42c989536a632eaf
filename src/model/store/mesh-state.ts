import type { ServiceTarget } from '../proxy.js';
import type { Lookup, PushContext } from '../push-context.js';
import type { IngressReader } from '../sidecars/ingress-targets.js';
import type { SidecarScopeReader } from '../sidecars/sidecar-scope.js';
import type { Sidecars } from '../sidecars/sidecars.js';
import type { ClusterViews } from '../snapshot/cluster-views.js';
import type { ServiceViews } from '../snapshot/service-views.js';
import type { TargetInterner } from '../snapshot/workload-targets.js';
import type { MeshTraffic } from '../traffic/mesh-traffic.js';
import type { TrafficViewComposer } from '../traffic/traffic-view.js';
import type { VirtualServices } from '../traffic/virtual-services/virtual-service-index.js';

/** The parts of a push context that the stores hold themselves. */
type StoredContext = Omit<
  PushContext,
  'sequence' | 'version' | 'viewOf' | 'viewIn' | 'clusterOf' | 'trafficOf' | 'targetsOf' | 'inboundOf'
>;

/** The content of the stores at one moment, of which a push context is made; immutable. */
export interface MeshState extends StoredContext {
  readonly views: ServiceViews;
  /** The cluster of the control plane, with or without objects. */
  readonly ownCluster: string;
  /** Those that have objects. */
  readonly clusters: ReadonlySet<string>;
  readonly clusterViews: ClusterViews;
  /** The clusters of services and their policies. */
  readonly traffic: MeshTraffic;
  /** The routes of each namespace. */
  readonly routes: VirtualServices;
  readonly composeView: TrafficViewComposer;
  readonly sidecars: Sidecars;
  readonly sidecarScopeOf: SidecarScopeReader;
  readonly ingressOf: IngressReader;
  /** Services of each workload, by `workloadKey`. */
  readonly targets: Lookup<string, readonly ServiceTarget[]>;
  readonly interner: TargetInterner;
}
