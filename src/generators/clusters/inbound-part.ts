import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { duration } from '../../envoy/durations.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { inboundClusterName } from '../../envoy/names.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ClusterLoadAssignment } from '../../generated/envoy/config/endpoint/v3/ClusterLoadAssignment.js';
import { createMemo } from '../../model/memo.js';
import type { Port, Service } from '../../model/service.js';
import type { InboundTarget, Ingress } from '../../model/sidecars/ingress-targets.js';
import { WHOLE_SERVICE } from '../../model/traffic/destination.js';
import { type AddressFamilies, addressFamiliesOf, loopbackAddress } from '../address-families.js';
import { buildLoadAssignment } from '../endpoints/load-assignment.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { bindToInboundSource, buildServiceMetadata, clusterStatName } from './cluster-defaults.js';
import { buildConnectionPool } from './connection-pool.js';
import { protocolsOfPort, type UpstreamProtocols } from './upstream-protocols.js';

/** One service port of the workload. */
interface InboundPort {
  readonly service: Pick<Service, 'hostname' | 'name' | 'namespace' | 'registry'>;
  readonly port: Port;
  /** Where the workload listens; undefined for captured connections, which keep their original destination. */
  readonly endpoint: { readonly address: string; readonly port: number } | undefined;
}

export interface InboundScope extends Scope {
  readonly ports: readonly InboundPort[];
  readonly families: AddressFamilies;
}

/**
 * Envoy forgets an idle destination of an ORIGINAL_DST cluster after 5 s by default, and closes its kept-alive
 * connections. The only destination here is the workload itself, so Envoy keeps it for a day.
 */
const CLEANUP_INTERVAL_MS = 24 * 60 * 60 * 1000;

/**
 * One cluster per service port of the workload of a sidecar. Captured connections keep their original destination and
 * get a source address that is not captured again. Without capture (INTERCEPTION_MODE NONE) they go to the target port
 * on loopback, and those of a Sidecar's ingress listener to its endpoint. Replicas of a workload share one scope. Routers have none.
 */
export function createInboundPart(
  encoder: MessageEncoder,
  { sniffInbound }: Pick<GeneratorSettings, 'sniffInbound'>,
  protocols: UpstreamProtocols,
): ResourcePart<InboundScope> {
  const scopeMemo = createMemo<InboundScope>();
  const commonMemo = createMemo<Cluster>();
  const clustersMemo = createMemo<readonly EncodedResource[]>();

  /** Fields of many clusters. */
  const commonFields = (mesh: MeshConfig, { port, endpoint }: InboundPort, families: AddressFamilies): Cluster => {
    const protocol = protocolsOfPort(port.protocol, sniffInbound);
    const captured = endpoint === undefined;
    return commonMemo.of([mesh], `${protocol} ${captured} ${families.ipv4} ${families.ipv6}`, () => ({
      ...buildConnectionPool({ connectTimeoutMs: mesh.connectTimeoutMs }),
      ...(captured ? capturedFields(families) : { type: 'STATIC' }),
      ...protocols.of(protocol),
    }));
  };

  const encode = (mesh: MeshConfig, inboundPort: InboundPort, families: AddressFamilies): EncodedResource => {
    const { service, port, endpoint } = inboundPort;
    const name = inboundClusterName(port.number, port.name, service.hostname);
    const statName = mesh.inboundClusterStatName;
    const own: Cluster = {
      name,
      ...(statName === '' ? {} : { altStatName: clusterStatName(statName, { service, port, subset: WHOLE_SERVICE }) }),
      ...(endpoint === undefined ? {} : { loadAssignment: endpointAssignment(name, endpoint) }),
      metadata: buildServiceMetadata(service),
    };
    const common = commonFields(mesh, inboundPort, families);
    return frameResource(TypeUrl.cluster, name, encoder.encodeWithCommon(TypeUrl.cluster, own, common));
  };

  return {
    name: 'inbound',
    scope: (context, proxy) => {
      const targets = proxy.type === 'sidecar' ? context.inboundOf(proxy) : [];
      if (targets.length === 0) return undefined;
      const captured = proxy.metadata.interceptionMode !== 'NONE';
      const families = addressFamiliesOf(proxy.ipAddresses);
      const variant = `${captured} ${families.ipv4} ${families.ipv6}`;
      return scopeMemo.of([context.mesh, targets], variant, () => {
        const ports = inboundPorts(targets, captured, loopbackAddress(families));
        return { key: JSON.stringify([ports, families]), ports, families };
      });
    },
    generate: ({ mesh }, { key, ports, families }) => ({
      resources: clustersMemo.of([mesh, ports], key, () => ports.map((port) => encode(mesh, port, families))),
      findings: [],
    }),
  };
}

function capturedFields(families: AddressFamilies): Cluster {
  return {
    type: 'ORIGINAL_DST',
    lbPolicy: 'CLUSTER_PROVIDED',
    cleanupInterval: duration(CLEANUP_INTERVAL_MS),
    ...bindToInboundSource(families),
  };
}

function endpointAssignment(name: string, endpoint: NonNullable<InboundPort['endpoint']>): ClusterLoadAssignment {
  const target = {
    ...endpoint,
    health: 'healthy',
    locality: '',
    network: '',
    weight: 1,
    tlsMode: 'disabled',
  } as const;
  return buildLoadAssignment(name, [target]);
}

/** One cluster per service port, for its first target: a workload may serve a port on several addresses. */
function inboundPorts(targets: readonly InboundTarget[], captured: boolean, loopback: string): readonly InboundPort[] {
  const ports = new Map<string, InboundPort>();
  for (const { service, port, targetPort, ingress } of targets) {
    const name = inboundClusterName(port.number, port.name, service.hostname);
    if (port.protocol === 'udp' || ports.has(name)) continue;
    const { hostname, name: serviceName, namespace, registry } = service;
    ports.set(name, {
      service: { hostname, name: serviceName, namespace, registry },
      port: { name: port.name, number: port.number, protocol: port.protocol },
      endpoint: endpointOf(targetPort, ingress, captured, loopback),
    });
  }
  return [...ports.values()];
}

function endpointOf(
  targetPort: number,
  ingress: Ingress | undefined,
  captured: boolean,
  loopback: string,
): InboundPort['endpoint'] {
  if (ingress !== undefined)
    return { address: ingress.address === '' ? loopback : ingress.address, port: ingress.port };
  return captured ? undefined : { address: loopback, port: targetPort };
}
