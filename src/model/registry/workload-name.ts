const STATEFUL_SET_LABEL = 'statefulset.kubernetes.io/pod-name';

/**
 * The name of the workload that a pod belongs to. Its owners are not kept, so what their controllers write
 * on the pod decides: a Deployment's template hash, a StatefulSet's pod name, a DaemonSet's revision hash.
 * A pod without any of these is its own workload.
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
