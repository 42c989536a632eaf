import type { ReviewedPod } from '../pod.js';

/** The workload of a pod, for the template's `TypeMeta` and `DeploymentMeta`. */
export interface PodWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The controller of a pod; for a ReplicaSet of a Deployment, the Deployment. */
export function workloadOf(pod: ReviewedPod): PodWorkload {
  const controller = pod.owners.find((owner) => owner.controller && owner.name !== '');
  if (controller === undefined) return { apiVersion: 'v1', kind: 'Pod', name: ownName(pod) };
  const { apiVersion, kind, name } = controller;
  const hash = pod.labels?.['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && hash !== '' && name.endsWith(`-${hash}`)) {
    return { apiVersion: 'apps/v1', kind: 'Deployment', name: name.slice(0, -hash.length - 1) };
  }
  return { apiVersion, kind, name };
}

function ownName({ name, generateName }: ReviewedPod): string {
  return name === '' ? generateName.replace(/-$/, '') : name;
}
