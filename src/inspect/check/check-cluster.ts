import { isRecord } from '../../base/record.js';
import type { KindRegistry } from '../../config/kinds.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';
import { watchedResources } from '../../sources/kubernetes/watched-resources.js';
import { type CheckResult, checkOf, orSkipped } from './check-result.js';
import { checkWebhooks, MUTATING, VALIDATING } from './check-webhooks.js';

/** A cluster with an installed control plane. */
export interface CheckedCluster {
  readonly send: SendRequest;
  /** Address of the API server. */
  readonly name: string;
  readonly kinds: KindRegistry;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** Service account of its pods. */
  readonly serviceAccount: string;
  /** Names of the webhook configurations that must exist. */
  readonly webhooks: { readonly validating: string; readonly mutating: string };
}

/** Checks the cluster: kinds of the mesh, rights of the control plane, webhooks. */
export async function checkCluster(cluster: CheckedCluster, now: Date): Promise<readonly CheckResult[]> {
  const { name } = cluster;
  return [
    ...(await orSkipped('CRDs', name, () => checkKinds(cluster))),
    ...(await orSkipped('rights', name, () => checkRights(cluster))),
    ...(await orSkipped('webhooks', name, () => checkWebhooks(cluster, VALIDATING, cluster.webhooks.validating, now))),
    ...(await orSkipped('webhooks', name, () => checkWebhooks(cluster, MUTATING, cluster.webhooks.mutating, now))),
  ];
}

async function checkKinds({ send, kinds, name }: CheckedCluster): Promise<readonly CheckResult[]> {
  const own = kinds.definitions.filter(({ group }) => group.endsWith(`.${kinds.meshDomain}`));
  const bad: string[] = [];
  for (const { plural, group, versions } of own) {
    const id = `${plural}.${group}`;
    const answer = await send({ method: 'GET', path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${id}` });
    if (answer.status === 404) bad.push(`${id} is missing`);
    else if (answer.status !== 200) throw new Error(refusalText(answer));
    else if (!versions.some((version) => servedVersions(answer).includes(version)))
      bad.push(`${id} does not serve ${versions.join(' or ')}`);
  }
  const { ok, error } = checkOf('CRDs', name);
  return [
    bad.length === 0
      ? ok(`all ${own.length} kinds of the mesh are installed`)
      : error(bad.join(', '), 'kubectl apply --server-side -f crds/'),
  ];
}

function servedVersions({ body }: ApiAnswer): readonly unknown[] {
  const spec = isRecord(body) && isRecord(body['spec']) ? body['spec'] : {};
  const versions: readonly unknown[] = Array.isArray(spec['versions']) ? spec['versions'] : [];
  return versions.flatMap((version) => (isRecord(version) && version['served'] === true ? version['name'] : []));
}

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** The rights of manifests/20-access.yaml without which the control plane cannot work, apart from those for single names. */
function neededRights(kinds: KindRegistry): readonly Right[] {
  const resources = watchedResources({
    kinds,
    namespaces: [],
    useEndpointSlice: true,
    readsCoreKinds: true,
    readsMeshKinds: true,
  });
  return [
    ...resources.flatMap(({ definition: { group, plural } }) =>
      ['list', 'watch'].map((verb) => ({ verb, group, resource: plural })),
    ),
    ...resources
      .filter(({ definition: { group } }) => group.endsWith(`.${kinds.meshDomain}`))
      .map(({ definition: { group, plural } }) => ({ verb: 'patch', group, resource: plural, subresource: 'status' })),
    { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' },
    { verb: 'create', group: '', resource: 'events' },
  ];
}

async function checkRights({
  send,
  kinds,
  name,
  namespace,
  serviceAccount,
}: CheckedCluster): Promise<readonly CheckResult[]> {
  const user = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const rights = neededRights(kinds);
  const missing: string[] = [];
  for (const right of rights) {
    const answer = await send({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, groups, resourceAttributes: right },
      },
    });
    if (answer.status !== 201) throw new Error(refusalText(answer));
    if (!isAllowed(answer)) missing.push(`${right.verb} ${rightName(right)}`);
  }
  const { ok, error } = checkOf('rights', name);
  return [
    missing.length === 0
      ? ok(`${user} has all ${rights.length} rights that were checked`)
      : error(`${user} may not ${missing.join(', ')}`, 'kubectl apply -f manifests/20-access.yaml'),
  ];
}

function rightName({ resource, subresource, group }: Right): string {
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  return group === '' ? path : `${path}.${group}`;
}

function isAllowed({ body }: ApiAnswer): boolean {
  return isRecord(body) && isRecord(body['status']) && body['status']['allowed'] === true;
}
