import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo, memoize } from '../memo.js';
import type { Port, Service } from '../service.js';
import type { ClientTls } from './client-tls.js';
import type { ClusterPolicy } from './cluster-policy.js';
import { type Destination, destinationOf, WHOLE_SERVICE } from './destination.js';
import type { DestinationRules, VisibleRules } from './destination-rules/destination-rules.js';
import { localitiesOf, meshBalancesByLocality } from './destination-rules/localities.js';
import { clustersWithRule } from './destination-rules/service-clusters.js';

/** The endpoints of one port of a service, or of one of its subsets, and how proxies connect to them. */
export interface ServiceCluster {
  readonly port: Port;
  readonly destination: Destination;
  readonly policy: ClusterPolicy;
}

/** How proxies of one namespace reach services. The same object for all namespaces with the same policies. */
export interface NamespaceTraffic {
  /** Equal ids have equal content within one snapshot; empty while no object configures clusters. */
  readonly id: string;
  /**
   * The clusters of a service, each with a destination of its own, in the order of its ports. The same array for as long
   * as the service, its policies and the mesh config stay the same: whatever depends on them can be cached by it.
   */
  clustersOf(service: Service): readonly ServiceCluster[];
  /** Whether a policy makes the endpoints of a proxy depend on its locality. */
  readonly balancesByLocality: boolean;
}

/** How the services of a snapshot are reached: the policies depend on the namespace of the caller. */
export interface MeshTraffic {
  ofNamespace(namespace: string): NamespaceTraffic;
}

/**
 * Translates services into their clusters. A result stays the same object while the service, the DestinationRules that
 * apply to it and the mesh config stay the same; a change of one rule concerns the services of its host alone.
 */
export function createTrafficTranslator(): (mesh: MeshConfig, rules: DestinationRules) => MeshTraffic {
  const translatorOf = memoize(createMeshTranslator);
  return (mesh, rules) => translatorOf(mesh)(rules);
}

function createMeshTranslator(mesh: MeshConfig): (rules: DestinationRules) => MeshTraffic {
  const policyOf = createDefaultPolicies(mesh);
  const withoutRule = memoize((service: Service) => serviceClusters(service, policyOf));
  const withRule = createMemo<readonly ServiceCluster[]>();
  const meshBalances = meshBalancesByLocality(mesh);
  const trafficOf = memoize(
    (visible: VisibleRules): NamespaceTraffic => ({
      id: visible.id,
      clustersOf: memoize((service: Service) => {
        const rule = visible.ruleOf(service);
        if (rule === undefined) return withoutRule(service);
        return withRule.of([rule, service], '', () => clustersWithRule(mesh, service, rule, policyOf));
      }),
      balancesByLocality: meshBalances || visible.balancesByLocality,
    }),
  );
  return memoize((rules: DestinationRules) => ({
    ofNamespace: (namespace) => trafficOf(rules.visibleFrom(namespace)),
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

type PolicyLookup = (service: Service, port: Port) => ClusterPolicy;

function serviceClusters(service: Service, policyOf: PolicyLookup): readonly ServiceCluster[] {
  return service.ports
    .filter(({ protocol }) => protocol !== 'udp')
    .map((port) => ({ port, destination: destinationOf(service, port.number), policy: policyOf(service, port) }));
}

/** Policies of ports that no object configures; most services share one of three. */
function createDefaultPolicies(mesh: MeshConfig): PolicyLookup {
  const localities = localitiesOf(mesh.localityLb, false);
  const policyWith = (upgradesToHttp2: boolean, tls: ClientTls): ClusterPolicy => ({
    loadBalancer: { type: 'leastRequest' },
    connections: { connectTimeoutMs: mesh.connectTimeoutMs, upgradesToHttp2 },
    tls,
    ...(localities === undefined ? {} : { localities }),
  });
  const automatic: ClientTls = { mode: 'automatic', subjectAltNames: [] };
  const external = policyWith(false, { mode: 'plaintext' });
  const inMesh = policyWith(false, automatic);
  const upgraded = policyWith(true, automatic);
  return ({ meshExternal, subjectAltNames }, { protocol }) => {
    if (meshExternal) return external;
    const upgrades = mesh.h2UpgradePolicy === 'UPGRADE' && protocol === 'http';
    if (subjectAltNames.length > 0) return policyWith(upgrades, { mode: 'automatic', subjectAltNames });
    return upgrades ? upgraded : inMesh;
  };
}
