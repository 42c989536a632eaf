import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo, memoize } from '../memo.js';
import type { Port, Service } from '../service.js';
import type { ClusterPolicy } from './cluster-policy.js';
import { type Destination, destinationOf, WHOLE_SERVICE } from './destination.js';

/** The endpoints of one port of a service, or of one of its subsets, and how proxies connect to them. */
export interface ServiceCluster {
  readonly port: Port;
  readonly destination: Destination;
  readonly policy: ClusterPolicy;
}

/** How the services of a snapshot are reached. */
export interface MeshTraffic {
  /**
   * The clusters of a service, each with a destination of its own, in the order of its ports. The same array for as long
   * as the service and its policies stay the same.
   */
  clustersOf(service: Service): readonly ServiceCluster[];
  /** Whether a policy makes the endpoints of a proxy depend on its locality. */
  readonly balancesByLocality: boolean;
}

/** Translates services into their clusters, each once for as long as it and the mesh config stay the same. */
export function createTrafficTranslator(): (mesh: MeshConfig) => MeshTraffic {
  const clusters = createMemo<readonly ServiceCluster[]>();
  return memoize((mesh) => ({
    clustersOf: (service) => clusters.of([mesh, service], '', () => serviceClusters(mesh, service)),
    // No kind of object has locality policies yet.
    balancesByLocality: false,
  }));
}

/**
 * The cluster of a service port with all its endpoints.
 *
 * @throws RangeError for a port without one: the service has no such port, or its protocol is UDP
 */
export function clusterOfPort(clusters: readonly ServiceCluster[], port: number): ServiceCluster {
  const isMeant = ({ destination }: ServiceCluster) =>
    destination.port === port && destination.subset === WHOLE_SERVICE;
  const cluster = clusters.find(isMeant);
  if (cluster === undefined) throw new RangeError(`port ${port} has no cluster`);
  return cluster;
}

function serviceClusters(mesh: MeshConfig, service: Service): readonly ServiceCluster[] {
  return service.ports
    .filter(({ protocol }) => protocol !== 'udp')
    .map((port) => ({
      port,
      destination: destinationOf(service, port.number),
      policy: defaultPolicy(mesh, service, port),
    }));
}

/** The policy of a port that no object names: limits of Envoy's own would be too low for busy services. */
function defaultPolicy(
  mesh: MeshConfig,
  { meshExternal, subjectAltNames }: Service,
  { protocol }: Port,
): ClusterPolicy {
  return {
    loadBalancer: { type: 'leastRequest' },
    connections: {
      connectTimeoutMs: mesh.connectTimeoutMs,
      upgradesToHttp2: mesh.h2UpgradePolicy === 'UPGRADE' && protocol === 'http' && !meshExternal,
    },
    tls: meshExternal ? { mode: 'plaintext' } : { mode: 'automatic', subjectAltNames },
  };
}
