import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { booksService } from '../../bootstrap/status/status-objects.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { namespaceManifest } from '../../sources/kubernetes/support/manifests.js';

export const KEYS = { first: 'first-key-of-acme', second: 'second-key-of-acme', other: 'key-of-another-secret' };
export const BOOKS_OF_VAULT = 'books.vault.svc.cluster.local';
/** A mesh config with checks. */
export const CHECKS_ON = 'mixerCheckServer: embedded\nmixerReportServer: embedded\ndisablePolicyChecks: false\n';
export const MAY_NOT_READ =
  'the control plane may not read secrets of its namespace; ' +
  'allow the control plane to list and watch secrets in namespace vault (a Role and a RoleBinding)';
export const MISSING = 'it does not exist; create it in the namespace of the Consumer';

/** A plan of a service `books`, and its parts with API keys in Secrets. */
export function planWithSecrets(namespace: string) {
  const object = (kind: string, name: string, spec: object): KubernetesManifest => ({
    ...{ apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name, namespace } },
    spec,
  });
  return {
    books: [namespaceManifest(namespace), ...booksService(namespace)],
    plan: object('Plan', 'gold', { services: [{ name: 'books' }] }),
    consumer: (name: string, ...secrets: readonly string[]): KubernetesManifest =>
      object('Consumer', name, {
        plan: { name: 'gold' },
        keys: secrets.map((secret) => ({ secretRef: { name: secret } })),
      }),
    secret: (name: string, key = ''): KubernetesManifest => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      stringData: { key },
    }),
    grant: grantOfDocs(namespace),
  };
}

/** The Role and the RoleBinding that docs/plans.md has for the namespace shop, for another namespace. */
function grantOfDocs(namespace: string): readonly KubernetesManifest[] {
  const text = readFileSync(join(projectRoot(), 'docs/plans.md'), 'utf8');
  const block = [...text.matchAll(/```yaml\n(.*?)```/gs)].find(([, yaml = '']) => yaml.includes('kind: RoleBinding'));
  return loadAll((block?.[1] ?? '').replaceAll('namespace: shop', `namespace: ${namespace}`)) as KubernetesManifest[];
}
