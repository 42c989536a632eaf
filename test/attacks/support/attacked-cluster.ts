import { booksService, quotaBinding, quotaSpec } from '../../bootstrap/status/status-objects.js';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { allCrds, namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';
import { accessManifests } from '../../webhooks/cluster/webhook-rig.js';
import { ATTACKERS, VICTIM } from './tenants.js';

/** The API server of attacked servers, one after another. */
export interface AttackedCluster {
  readonly api: ApiServer;
  /**
   * Takes away all that earlier attacks and servers left behind. Then the namespace `shop` has the services `books` and
   * `papers`, a QuotaSpec and its binding, and `attackers` is empty.
   */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACES = [VICTIM.namespace, ATTACKERS, 'mesh-system'] as const;

/** Kinds that attacks, servers and tests write beside the custom kinds, as lists of `default`. */
const BUILT_IN = [
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/endpoints',
  '/api/v1/namespaces/default/serviceaccounts',
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/events',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  '/apis/coordination.k8s.io/v1/namespaces/default/leases',
] as const;

/** @param binary the test cluster's program (find-testcluster.ts) */
export async function startAttackedCluster(binary: string): Promise<AttackedCluster> {
  const api = await startApiServer({ binary });
  const crds = allCrds();
  const lists = [...BUILT_IN, ...crds.map(listOfKind)];
  try {
    await api.client.applyAll(crds);
    await api.client.applyAll(NAMESPACES.map(namespaceManifest));
    await api.client.applyAll(accessManifests());
  } catch (error) {
    await api.close();
    throw error;
  }
  return {
    api,
    restore: async () => {
      await Promise.all(lists.flatMap((list) => NAMESPACES.map((namespace) => empty(api, list, namespace))));
      await api.client.applyAll([
        ...[account(VICTIM.namespace, VICTIM.serviceAccount), account(ATTACKERS, 'attacker')],
        ...[...booksService(VICTIM.namespace), ...papersService()],
        ...[quotaSpec(VICTIM.namespace), quotaBinding(VICTIM.namespace)],
      ]);
    },
    close: () => api.close(),
  };
}

function listOfKind({ spec }: KubernetesManifest): string {
  const { group, names, versions } = spec as {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
  return `/apis/${group}/${versions[0]?.name}/namespaces/default/${names.plural}`;
}

/** Deletes all objects of a list. A new CRD is served a moment later than it is accepted. */
async function empty({ client }: ApiServer, list: string, namespace: string): Promise<void> {
  const path = list.replace('/default/', `/${namespace}/`);
  await eventually(`${path} is empty`, async () => (await client.send('DELETE', path)).status === 200);
}

/** A certificate authenticates only while its account exists. */
export function account(namespace: string, name: string): KubernetesManifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

function papersService(): ReturnType<typeof booksService> {
  return booksService(VICTIM.namespace).map((manifest) => ({
    ...manifest,
    metadata: { ...manifest.metadata, name: 'papers' },
  }));
}
