import type { MeshConfig } from '../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../config/mesh/mesh-networks.js';
import type { MeshObject, ObjectKey } from '../config/object.js';
import type { DerivationProblem } from './derived/derivation.js';
import type { ServiceEndpoints } from './endpoint.js';
import type { EntryOffence } from './entries/entry-offences.js';
import type { Finding } from './finding.js';
import type { GatewayApi } from './gateway-api/gateway-api.js';
import type { Gateways } from './gateways/gateway-index.js';
import type { BindingGrants } from './policy/binding-grants.js';
import type { QuotaShapes } from './policy/fast/quota-shapes.js';
import type { ApiKeySecrets } from './policy/plans/api-key-secrets.js';
import type { Proxy, ServiceTarget } from './proxy.js';
import type { AuthorizationPolicies } from './security/authorization-policies.js';
import type { KeySets } from './security/key-sets.js';
import type { PeerAuthentications } from './security/peer-authentications.js';
import type { RequestAuthentications } from './security/request-authentications.js';
import type { SharedPort } from './served-ports.js';
import type { Service } from './service.js';
import type { InboundTarget } from './sidecars/ingress-targets.js';
import type { DestinationRules } from './traffic/destination-rules/destination-rules.js';
import type { TrafficView, TrafficViewer } from './traffic/traffic-view.js';

/**
 * The services that a namespace may see (exportTo). Namespaces that see the same services share one view object, so the
 * scope of a generator may name the view instead of the namespace.
 */
export interface ServiceView {
  /** Equal ids have equal content within one snapshot; the id is stable while the content is. */
  readonly id: string;
  /** Oldest first, then by hostname: the order of precedence in conflicts. */
  readonly services: readonly Service[];
}

/** Read-only lookup that a snapshot offers over a persistent map. */
export interface Lookup<Key, Value> {
  get(key: Key): Value | undefined;
  readonly size: number;
  entries(): IterableIterator<[Key, Value]>;
}

/**
 * The immutable snapshot of the mesh from which everything is generated
 * (docs/architecture.md#how-a-change-reaches-a-proxy). A change makes the next one, which shares the unchanged parts.
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
  /** The other services of hosts that several namespaces claim. Some namespaces see one of these instead. */
  readonly shadowedByHost: Lookup<string, readonly Service[]>;
  /**
   * By hostname, for the services of `servicesByHost`. Other services of a host have theirs under
   * `<hostname>/<namespace>`; `endpointsOf` finds either.
   */
  readonly endpoints: Lookup<string, ServiceEndpoints>;
  /** All objects by kind, for configz, status and analysis. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  /** Which workloads take mutual TLS. */
  readonly peerAuthentications: PeerAuthentications;
  /** The AuthorizationPolicies of each workload. */
  readonly authorizationPolicies: AuthorizationPolicies;
  /** The Gateways of each router. */
  readonly gateways: Gateways;
  /** What the objects of the Kubernetes Gateway API say. */
  readonly gatewayApi: GatewayApi;
  /** The DestinationRules that each namespace sees. */
  readonly destinationRules: DestinationRules;
  /** The RequestAuthentications of each workload. */
  readonly requestAuthentications: RequestAuthentications;
  /** The fetched keys of JWT rules. */
  readonly keySets: KeySets;
  /** The forms of the policy server's limits. */
  readonly quotaShapes: QuotaShapes;
  /** The hashes of the keys in Secrets that Consumers name. */
  readonly apiKeySecrets: ApiKeySecrets;
  /**
   * ServiceEntries that claim hosts or addresses of other namespaces without permission, and so act on their own
   * namespace alone.
   */
  readonly entryOffences: ReadonlyMap<ObjectKey, readonly EntryOffence[]>;
  /** The namespaces that each namespace allows to bind policies to its services. */
  readonly bindingGrants: BindingGrants;
  /** Problems of valid objects from which others are made (`model/derived`), such as Ingresses. */
  readonly derivationProblems: readonly DerivationProblem[];
  /** Findings of the translation into services and endpoints (endpoint_no_pod, nav_endpoint_not_ready, …). */
  readonly findings: readonly Finding[];
  /** Ports of workloads that several services target; the policies of one of them apply. Same ports, same array. */
  readonly sharedPorts: readonly SharedPort[];
  /** The services that proxies of a namespace may see. */
  viewOf(namespace: string): ServiceView;
  /**
   * The same services, with their addresses in the cluster of a proxy, in the order of precedence there.
   *
   * @param cluster from the metadata of the proxy; an unknown one counts as the own cluster of the control plane
   */
  viewIn(namespace: string, cluster: string | undefined): ServiceView;
  /**
   * The cluster of a proxy from its metadata; absent and unknown ones count as the own cluster of the control plane.
   */
  clusterOf(said: string | undefined): string;
  /** The services that a proxy sees, with their clusters and routes. Proxies that see the same things share a view. */
  trafficOf(proxy: TrafficViewer): TrafficView;
  /**
   * The services of the workload of a proxy, by its addresses; sorted by hostname and port. Same targets, same array.
   */
  targetsOf(proxy: Proxy): readonly ServiceTarget[];
  /**
   * The ports that a sidecar serves: the ingress listeners of its Sidecar, and without any the targets of its services.
   * Same targets, same array.
   */
  inboundOf(proxy: Proxy): readonly InboundTarget[];
}
