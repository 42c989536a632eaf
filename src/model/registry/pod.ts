import type { PodBody } from '../../config/core/pod.js';
import type { MeshObject } from '../../config/object.js';
import { formatSpiffeId } from '../spiffe-id.js';
import type { Translation } from './translation.js';
import { tlsModeOf, type Workload } from './workload.js';

export type Pod = MeshObject<'Pod', PodBody>;

/** The status of a finished pod keeps its address, which another pod may have by now. */
export function podAddresses({ body: { status } }: Pod): readonly string[] {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return [];
  const addresses = status.podIPs.map(({ ip }) => ip).filter((ip) => ip !== '');
  if (status.podIP === undefined || status.podIP === '' || addresses.includes(status.podIP)) return addresses;
  return [status.podIP, ...addresses];
}

/** The Ready condition. A pod of a folder may have none, and counts as ready unless its phase says otherwise. */
export function isPodReady({ body: { status } }: Pod): boolean {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (ready !== undefined) return ready.status === 'True';
  return status.phase === undefined || status.phase === 'Running';
}

/** The number of a container port by its name. */
export function containerPort({ body: { spec } }: Pod, name: string): number | undefined {
  for (const container of spec.containers) {
    const port = container.ports.find((candidate) => candidate.name === name);
    if (port !== undefined) return port.containerPort;
  }
  return undefined;
}

export function translatePod(pod: Pod, address: string, locality: string, translation: Translation): Workload {
  const { name, namespace, labels } = pod.metadata;
  return {
    labels,
    locality,
    network: translation.networkOf(address),
    weight: 1,
    serviceAccount: formatSpiffeId({
      trustDomain: translation.trustDomain,
      namespace,
      serviceAccount: pod.body.spec.serviceAccountName || 'default',
    }),
    tlsMode: tlsModeOf(labels, translation.meshDomain),
    workloadName: workloadNameOf(name, labels),
    namespace,
  };
}

const STATEFUL_SET_LABEL = 'statefulset.kubernetes.io/pod-name';

/**
 * The name of the workload of a pod. Pods are stored without owners, so the labels that controllers write decide: the
 * template hash of a Deployment, the pod name of a StatefulSet, the revision hash of a DaemonSet. A pod without any of
 * these is its own workload.
 */
export function workloadNameOf(podName: string, labels: Readonly<Record<string, string>>): string {
  const hash = labels['pod-template-hash'];
  if (hash !== undefined) {
    const end = podName.lastIndexOf(`-${hash}`);
    return end > 0 ? podName.slice(0, end) : podName;
  }
  const isNumbered = labels[STATEFUL_SET_LABEL] !== undefined && /-[0-9]+$/.test(podName);
  if (isNumbered || labels['controller-revision-hash'] !== undefined) {
    const end = podName.lastIndexOf('-');
    return end > 0 ? podName.slice(0, end) : podName;
  }
  return podName;
}
