import type { ApiServer } from './api-server.js';
import type { KubernetesManifest } from './kubernetes-client.js';

/** A kubeconfig of an API server with all that it takes in it, as it goes into a secret. */
export function remoteKubeconfig(
  api: Pick<ApiServer, 'url' | 'ca'>,
  { server = api.url, token }: { readonly server?: string; readonly token: string },
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'remote', cluster: { server, 'certificate-authority-data': api.ca().toString('base64') } }],
    users: [{ name: 'meshd', user: { token } }],
    contexts: [{ name: 'remote', context: { cluster: 'remote', user: 'meshd' } }],
    'current-context': 'remote',
  });
}

/** The administrator's. */
export function embeddedKubeconfig(
  api: Pick<ApiServer, 'url' | 'ca'>,
  options: { readonly server?: string } = {},
): string {
  return remoteKubeconfig(api, { ...options, token: 'admin-token' });
}

/** A secret that registers clusters: kubeconfigs by cluster id. */
export function clusterSecret(
  name: string,
  kubeconfigs: Readonly<Record<string, string>>,
  namespace = 'mesh-system',
): KubernetesManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { 'mesh/multiCluster': 'true' } },
    data: Object.fromEntries(
      Object.entries(kubeconfigs).map(([id, text]) => [id, Buffer.from(text).toString('base64')]),
    ),
  };
}
