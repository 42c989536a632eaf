/** Size of a generated mesh. */
export interface MeshSize {
  /** Services, spread evenly over the namespaces; 10 or more, so that each kind below occurs. */
  readonly services: number;
  readonly endpointsPerService: number;
  readonly namespaces: number;
}

/** A generated mesh with the objects that route requests and limit what is seen. */
export interface MeshContent extends MeshSize {
  /** Services that have a VirtualService and a DestinationRule. */
  readonly routed: number;
  /** Different scopes among the Sidecars of the namespaces; 0 for no Sidecars. */
  readonly scopes: number;
}

/** `http`: port 80; `tcp`: one port that is not 80; `headless`: port 80 without a cluster IP. */
type ServiceKind = 'http' | 'tcp' | 'headless';

export interface MeshEndpoint {
  readonly address: string;
  readonly nodeName: string;
  readonly zone: string;
}

export interface MeshPort {
  readonly name: string;
  readonly port: number;
  readonly targetPort: number;
}

export interface MeshService {
  readonly name: string;
  readonly namespace: string;
  readonly kind: ServiceKind;
  /** Absent for headless services. */
  readonly clusterIp?: string;
  readonly ports: readonly MeshPort[];
  readonly endpoints: readonly MeshEndpoint[];
}

export const HTTP_PORT: MeshPort = { name: 'http', port: 80, targetPort: 8080 };
const TCP_PORT: MeshPort = { name: 'tcp-data', port: 9000, targetPort: 9000 };
/** One in ten services is plain TCP, one in a hundred is headless, as in the meshes we know. */
const TCP_EVERY = { modulus: 10, remainder: 3 } as const;
const HEADLESS_EVERY = { modulus: 100, remainder: 57 } as const;
const HOSTS_PER_SUBNET = 250;
const NODES = 20;
const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;

/** The mesh of that size: the same size gives the same mesh, on every machine and in every run. */
export function buildMeshServices(size: MeshSize): readonly MeshService[] {
  return Array.from({ length: size.services }, (_, index) => buildService(index, size));
}

/** Kind of the service with that index. */
function serviceKind(index: number): ServiceKind {
  if (index % TCP_EVERY.modulus === TCP_EVERY.remainder) return 'tcp';
  return index % HEADLESS_EVERY.modulus === HEADLESS_EVERY.remainder ? 'headless' : 'http';
}

/** How many of that many services are plain TCP. */
export function countTcpServices(services: number): number {
  return Math.ceil(Math.max(0, services - TCP_EVERY.remainder) / TCP_EVERY.modulus);
}

/** Fully qualified host name of a generated service. */
export function serviceHost(service: Pick<MeshService, 'name' | 'namespace'>): string {
  return `${service.name}.${service.namespace}.svc.cluster.local`;
}

function buildService(index: number, size: MeshSize): MeshService {
  const kind = serviceKind(index);
  return {
    // A fixed width keeps one name from being part of another: the phases look for names in raw bytes.
    name: `svc-${String(index).padStart(5, '0')}`,
    namespace: `ns-${index % size.namespaces}`,
    kind,
    ...(kind === 'headless' ? {} : { clusterIp: ipAddress(96, index) }),
    ports: [kind === 'tcp' ? TCP_PORT : HTTP_PORT],
    endpoints: Array.from({ length: size.endpointsPerService }, (_, endpoint) =>
      buildEndpoint(index * size.endpointsPerService + endpoint),
    ),
  };
}

function buildEndpoint(number: number): MeshEndpoint {
  const node = number % NODES;
  return { address: ipAddress(1, number), nodeName: `node-${node}`, zone: ZONES[node % ZONES.length] ?? ZONES[0] };
}

/** 10.x.y.z counted up from 10.<secondOctet>.0.1, leaving out .0 and .251 and above. */
function ipAddress(secondOctet: number, number: number): string {
  const host = (number % HOSTS_PER_SUBNET) + 1;
  const subnet = Math.floor(number / HOSTS_PER_SUBNET);
  return `10.${secondOctet + Math.floor(subnet / HOSTS_PER_SUBNET)}.${subnet % HOSTS_PER_SUBNET}.${host}`;
}
