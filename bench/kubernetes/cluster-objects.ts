import type { ClusterNode, ClusterPod, ClusterService, ClusterShape } from './cluster-shape.js';

/** An object to create, and its path. */
export interface NewObject {
  /** The list it goes to, for example `/api/v1/namespaces/ns-0/services`. */
  readonly path: string;
  readonly body: object;
  /** Written to its status subresource afterwards. */
  readonly status?: object;
}

/** All objects of a cluster, in steps; each step depends on the steps before it. */
export function clusterObjects(shape: ClusterShape): readonly (readonly NewObject[])[] {
  return [
    [...shape.namespaces.map(namespaceObject), ...shape.nodes.map(nodeObject)],
    [...shape.pods.map(podObject), ...shape.services.map(serviceObject), ...shape.services.map(sliceObject)],
  ];
}

function namespaceObject(name: string): NewObject {
  return { path: '/api/v1/namespaces', body: { metadata: { name } } };
}

function nodeObject({ name, zone }: ClusterNode): NewObject {
  const labels = { 'topology.kubernetes.io/region': 'region-1', 'topology.kubernetes.io/zone': zone };
  return { path: '/api/v1/nodes', body: { metadata: { name, labels } } };
}

function serviceObject({ name, namespace, app, clusterIp = 'None', ...ports }: ClusterService): NewObject {
  return {
    path: `/api/v1/namespaces/${namespace}/services`,
    body: {
      metadata: { name, labels: { app, 'app.kubernetes.io/part-of': 'bench' } },
      spec: { clusterIP: clusterIp, selector: { app }, ports: [servicePort(ports)] },
    },
  };
}

function servicePort({ kind, port, targetPort }: Pick<ClusterService, 'kind' | 'port' | 'targetPort'>): object {
  return { name: kind === 'tcp' ? 'tcp-data' : 'http', port, targetPort, protocol: 'TCP' };
}

/** The path of a service's one slice. */
export function slicePath({ name, namespace }: Pick<ClusterService, 'name' | 'namespace'>): string {
  return `${slicesPath(namespace)}/${name}-1`;
}

function slicesPath(namespace: string): string {
  return `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
}

function sliceObject(service: ClusterService): NewObject {
  const { name, namespace, kind, targetPort, pods } = service;
  return {
    path: slicesPath(namespace),
    body: {
      metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: kind === 'tcp' ? 'tcp-data' : 'http', port: targetPort, protocol: 'TCP' }],
      endpoints: pods.map((pod) => ({
        ...sliceEndpoint(pod.address, pod.node),
        targetRef: { kind: 'Pod', name: pod.name, namespace },
      })),
    },
  };
}

/** One endpoint that is ready. */
export function sliceEndpoint(address: string, nodeName: string): object {
  return { addresses: [address], conditions: { ready: true, serving: true, terminating: false }, nodeName };
}

/** A pod about as large as pods are: one app, one sidecar, their environment, probes and states (some 6 KiB). */
function podObject({ name, namespace, app, address, node }: ClusterPod): NewObject {
  return {
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: {
      metadata: {
        name,
        labels: { app, 'pod-template-hash': 'abcdef', version: 'v1' },
        annotations: podAnnotations(app),
      },
      spec: {
        nodeName: node,
        containers: [container(app, 'registry.example/shop/app:1.2.3'), container('proxy', 'registry.example/envoy:1')],
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    },
    status: {
      phase: 'Running',
      podIP: address,
      podIPs: [{ ip: address }],
      hostIP: '192.168.1.1',
      startTime: STARTED_AT,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: STARTED_AT,
      })),
      containerStatuses: [app, 'proxy'].map(containerStatus),
    },
  };
}

const STARTED_AT = '2026-01-01T00:00:00Z';
const IMAGE_ID = 'registry.example/shop/app@sha256:8c1f4a0f2b4ee0d7a3a3bc1e6c3f6b0f3f0a6a4d7c8c5b1a2e3d4c5b6a798081';

function podAnnotations(app: string): object {
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090', 'checksum/config': `${app}-0123456789abcdef` };
}

function container(name: string, image: string): object {
  const environment = ['LOG_LEVEL', 'REGION', 'DATABASE_URL', 'CACHE_URL', 'FEATURES', 'OTEL_ENDPOINT'];
  return {
    name,
    image,
    args: ['--config', '/etc/app/config.yaml', '--listen', ':8080'],
    env: environment.map((key) => ({ name: key, value: `${key.toLowerCase()}-of-${name}` })),
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5, failureThreshold: 3 },
    livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 10 },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  };
}

function containerStatus(name: string): object {
  return {
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: 'registry.example/shop/app:1.2.3',
    imageID: IMAGE_ID,
    containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
    state: { running: { startedAt: STARTED_AT } },
  };
}
