import type { Pod } from '../pod.js';

/** What made a pod, as the template's `TypeMeta` and `DeploymentMeta` say it. */
export interface PodWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The workload that a pod belongs to: its controller, and a ReplicaSet's Deployment (BEHAVIOUR 3, "Injection"). */
export function workloadOf(pod: Pod): PodWorkload {
  const controller = pod.owners.find((owner) => owner.controller && owner.name !== '');
  if (controller === undefined) return { apiVersion: 'v1', kind: 'Pod', name: ownName(pod) };
  const { apiVersion, kind, name } = controller;
  const hash = pod.labels?.['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && hash !== '' && name.endsWith(`-${hash}`)) {
    return { apiVersion: 'apps/v1', kind: 'Deployment', name: name.slice(0, -hash.length - 1) };
  }
  return { apiVersion, kind, name };
}

function ownName({ name, generateName }: Pod): string {
  return name === '' ? generateName.replace(/-$/, '') : name;
}
