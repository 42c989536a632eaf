import type { DestinationSpec } from '../../../config/networking/virtual-service-destination.js';
import type { HashKey } from '../cluster-policy.js';
import { type Destination, WHOLE_SERVICE } from '../destination.js';
import type { ServiceCluster } from '../mesh-traffic.js';
import type { VirtualService } from './virtual-service.js';

/** The clusters of a host in the view of a proxy; undefined for a host that the proxy does not see. */
export type ClusterLookup = (hostname: string) => readonly ServiceCluster[] | undefined;

/** A destination as a route names it, and what the route needs to know of its cluster. */
export interface ResolvedDestination {
  /** Of no cluster if the proxy sees no such service, port or subset: Envoy answers 503. */
  readonly destination: Destination;
  readonly hashKey?: HashKey;
}

/**
 * The port is the one that is named, else the only one of the service, else the one that the caller connected to.
 *
 * @param clusters of the host
 */
export function resolveDestination(
  { host, subset = '', port }: DestinationSpec,
  listenPort: number,
  clusters: readonly ServiceCluster[] | undefined,
): ResolvedDestination {
  const whole = clusters?.filter(({ destination }) => destination.subset === WHOLE_SERVICE) ?? [];
  const [only] = whole;
  const number = port?.number ?? (whole.length === 1 && only !== undefined ? only.destination.port : listenPort);
  const cluster = clusters?.find(
    ({ destination }) => destination.port === number && destination.subset.name === subset,
  );
  if (cluster === undefined) {
    const named = subset === '' ? WHOLE_SERVICE : { name: subset, labels: {} };
    return { destination: { hostname: host, port: number, subset: named } };
  }
  const { loadBalancer } = cluster.policy;
  return {
    destination: cluster.destination,
    ...(loadBalancer.type === 'consistentHash' ? { hashKey: loadBalancer.key } : {}),
  };
}

/** A VirtualService together with the clusters of its destinations: the same object while all of them are the same. */
export interface BoundVirtualService {
  readonly virtualService: VirtualService;
  readonly clustersOf: ClusterLookup;
}

export type VirtualServiceBinder = (virtualService: VirtualService, lookup: ClusterLookup) => BoundVirtualService;

interface Node {
  bound?: BoundVirtualService;
  readonly next: WeakMap<object, Node>;
}

/** Stands for the clusters of a host that is not seen. */
const UNSEEN: readonly ServiceCluster[] = [];

export function createVirtualServiceBinder(): VirtualServiceBinder {
  const roots = new WeakMap<VirtualService, Node>();
  return (virtualService, lookup) => {
    let node = roots.get(virtualService);
    if (node === undefined) {
      node = { next: new WeakMap() };
      roots.set(virtualService, node);
    }
    for (const host of virtualService.destinationHosts) {
      const clusters = lookup(host) ?? UNSEEN;
      let next = node.next.get(clusters);
      if (next === undefined) {
        next = { next: new WeakMap() };
        node.next.set(clusters, next);
      }
      node = next;
    }
    if (node.bound === undefined) {
      node.bound = bindTo(virtualService, new Map(virtualService.destinationHosts.map((host) => [host, lookup(host)])));
    }
    return node.bound;
  };
}

/** Not where `lookup` is in scope: a closure made there would keep the whole view of that time in memory. */
function bindTo(
  virtualService: VirtualService,
  byHost: ReadonlyMap<string, readonly ServiceCluster[] | undefined>,
): BoundVirtualService {
  return { virtualService, clustersOf: (host) => byHost.get(host) };
}
