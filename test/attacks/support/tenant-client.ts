import { readFileSync } from 'node:fs';
import { createKubernetesClient, type KubernetesClient } from '../../counterparts/kubernetes/kubernetes-client.js';
import type { AttackTarget } from './attack.js';

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** Writes objects of a tenant, in the attacker's process. */
export function createTenantClient({ kubeconfig }: Pick<AttackTarget, 'kubeconfig'>): KubernetesClient {
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  return createKubernetesClient(cluster.server, user.token, () => readFileSync(cluster['certificate-authority']));
}
