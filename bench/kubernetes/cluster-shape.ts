import type { NodeIdentity } from '../wire/node-message.js';

/** Size of a generated cluster. */
export interface ClusterSize {
  readonly services: number;
  readonly endpointsPerService: number;
  /** Each endpoint is one of these; a pod is behind as many services as it takes. */
  readonly pods: number;
  readonly namespaces: number;
}

export interface ClusterPod {
  readonly name: string;
  readonly namespace: string;
  readonly app: string;
  readonly address: string;
  readonly node: string;
}

/** `http`: port 80; `tcp`: one port that is not 80; `headless`: port 80 without a cluster IP. */
export interface ClusterService {
  readonly name: string;
  readonly namespace: string;
  readonly kind: 'http' | 'tcp' | 'headless';
  readonly app: string;
  /** Absent for headless services. */
  readonly clusterIp?: string;
  readonly port: number;
  readonly targetPort: number;
  readonly pods: readonly ClusterPod[];
}

export interface ClusterNode {
  readonly name: string;
  readonly zone: string;
}

/** Contents of a cluster, before they are written as Kubernetes objects. */
export interface ClusterShape {
  readonly namespaces: readonly string[];
  readonly nodes: readonly ClusterNode[];
  readonly pods: readonly ClusterPod[];
  readonly services: readonly ClusterService[];
}

const NODES = 50;
const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;
/** One in ten services is plain TCP, one in a hundred is headless, as in the other benchmarks. */
const TCP_EVERY = { modulus: 10, remainder: 3 } as const;
const HEADLESS_EVERY = { modulus: 100, remainder: 57 } as const;
const FIRST_TARGET_PORT = 8080;

/**
 * A cluster of the given size, identical on every machine and in every run. Each app has `endpointsPerService` pods and
 * an equal share of the services: with 5,000 pods and 5,000 services of 10 endpoints, there are 500 apps of 10 pods
 * behind 10 services, each on a separate port.
 */
export function buildClusterShape({ services, endpointsPerService, pods, namespaces }: ClusterSize): ClusterShape {
  const apps = Math.max(1, Math.floor(pods / endpointsPerService));
  const podList = Array.from({ length: pods }, (_, index) => {
    const app = Math.floor(index / endpointsPerService) % apps;
    return {
      name: `app-${padded(app)}-${index}`,
      namespace: `ns-${app % namespaces}`,
      app: `app-${padded(app)}`,
      address: hostAddress(16, index),
      node: nodeName(index % NODES),
    };
  });
  return {
    namespaces: Array.from({ length: namespaces }, (_, index) => `ns-${index}`),
    nodes: Array.from({ length: NODES }, (_, index) => ({
      name: nodeName(index),
      zone: ZONES[index % ZONES.length] ?? ZONES[0],
    })),
    pods: podList,
    services: Array.from({ length: services }, (_, index) => {
      const app = index % apps;
      const first = app * endpointsPerService;
      const kind = serviceKind(index);
      return {
        name: `svc-${padded(index)}`,
        namespace: `ns-${app % namespaces}`,
        kind,
        app: `app-${padded(app)}`,
        ...(kind === 'headless' ? {} : { clusterIp: hostAddress(96, index + 1000) }),
        port: kind === 'tcp' ? 9000 : 80,
        targetPort: FIRST_TARGET_PORT + Math.floor(index / apps),
        pods: podList.slice(first, first + endpointsPerService),
      };
    }),
  };
}

/** Identities of `count` sidecars, spread over the pods. */
export function buildPodIdentities({ pods }: ClusterShape, count: number): readonly NodeIdentity[] {
  const step = Math.max(1, Math.floor(pods.length / count));
  return Array.from({ length: count }, (_, index) => {
    const pod = pods[(index * step) % pods.length];
    if (pod === undefined) throw new RangeError('Sidecars need a cluster with at least one pod.');
    const { name, namespace, address, app } = pod;
    return {
      id: `sidecar~${address}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      cluster: `${app}.${namespace}`,
      metadata: {
        NAMESPACE: namespace,
        INSTANCE_IPS: address,
        CLUSTER_ID: 'Orchestrator',
        SERVICE_ACCOUNT: 'default',
        LABELS: { app },
      },
    };
  });
}

function serviceKind(index: number): ClusterService['kind'] {
  if (index % TCP_EVERY.modulus === TCP_EVERY.remainder) return 'tcp';
  return index % HEADLESS_EVERY.modulus === HEADLESS_EVERY.remainder ? 'headless' : 'http';
}

function nodeName(index: number): string {
  return `node-${index}`;
}

/** A fixed width keeps names equally long. */
function padded(index: number): string {
  return String(index).padStart(5, '0');
}

/** 10.x.y.z counted up from 10.<secondOctet>.0.1, leaving out .0 and .251 and above. */
function hostAddress(secondOctet: number, number: number): string {
  const subnet = Math.floor(number / 250);
  return `10.${secondOctet + Math.floor(subnet / 250)}.${subnet % 250}.${(number % 250) + 1}`;
}
