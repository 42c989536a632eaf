import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { booksService, hasCondition, quotaBinding, quotaSpec } from '../bootstrap/status/status-objects.js';
import { startStatusInstance } from '../bootstrap/status/status-rig.js';
import { connectPolicyClient } from '../bootstrap/support/policy-client.js';
import { startServer } from '../bootstrap/support/running-server.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { createKubernetesClient } from '../counterparts/kubernetes/kubernetes-client.js';
import { createClusterHarness } from '../sources/kubernetes/support/cluster-harness.js';
import { ACCOUNTS } from '../support/adapter-descriptors.js';
import { eventually } from '../support/eventually.js';
import { type Audit, createAudit } from './support/audit.js';
import { createCertificate } from './support/create-certificate.js';
import { createKubectl, type Kubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import {
  MESHD_MAY,
  NETWORKING_KINDS,
  type Permission,
  POLICY_KINDS,
  SECURITY_KINDS,
} from './support/meshd-permissions.js';
import {
  BOOKS_OF_VAULT,
  CHECKS_ON,
  KEYS,
  MAY_NOT_READ,
  MISSING,
  planWithSecrets,
} from './support/plan-with-secrets.js';
import { readDocuments } from './support/read-documents.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.serial.skip : test.serial;
let api: ApiServer;
let kubectl: Kubectl;
let audit: Audit;

if (binary !== undefined) {
  test.before(async () => {
    audit = await createAudit('system:serviceaccount:mesh-system:meshd');
    api = await startApiServer({ binary, flags: audit.flags });
    kubectl = createKubectl(api);
  });
  test.after.always(async () => {
    await api?.close();
    await audit?.remove();
  });
}

const EVERYTHING = ['-f', 'manifests/', '-f', 'manifests/policy/'];

async function succeed(t: ExecutionContext, ...args: string[]): Promise<string> {
  const { code, output, complaint } = await kubectl(...args);
  t.deepEqual({ code, complaint }, { code: 0, complaint: '' }, output);
  return output;
}

it('the API server accepts every object of manifests/ in a dry run, without a warning', async (t) => {
  await succeed(t, 'apply', '-f', 'manifests/00-namespace.yaml', '-f', 'manifests/10-crds.yaml');
  const output = await succeed(t, 'apply', '--dry-run=server', ...EVERYTHING);
  const count = readDocuments('manifests').length + readDocuments('manifests/policy').length;
  t.is(output.trim().split('\n').length, count);
  t.regex(
    await succeed(t, 'apply', '--dry-run=server', '-k', 'overlays/redis'),
    /horizontalpodautoscaler.*\/meshd created/,
  );
});

it('kubectl apply installs everything, and a second apply changes nothing', async (t) => {
  await succeed(t, 'apply', ...EVERYTHING);
  const versions = async (): Promise<unknown> => {
    const columns = 'custom-columns=K:.kind,N:.metadata.name,G:.metadata.generation,V:.metadata.resourceVersion';
    const output = await succeed(t, 'get', ...EVERYTHING, '-o', columns, '--no-headers');
    // The API server writes statuses by itself; what has a generation shows by it whether an apply changed it.
    return output
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([kind, name, generation, version]) =>
        generation === '<none>' ? [kind, name, version] : [kind, name, generation],
      );
  };
  const before = await versions();
  t.regex(await succeed(t, 'apply', ...EVERYTHING), /deployment.apps\/meshd/);
  t.deepEqual(await versions(), before);
});

it('objects of our kinds in the samples apply without errors', async (t) => {
  await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const ours = ['samples/mesh', 'samples/tour', 'samples/plans', 'samples/policy-rules', 'samples/adapters']
    .flatMap(readDocuments)
    .filter(({ apiVersion }) => apiVersion.includes('.mesh.internal/'));
  const kinds = [...new Set(ours.map(({ kind }) => kind))];
  t.deepEqual(kinds.map(pluralOf).toSorted(), [...POLICY_KINDS, ...NETWORKING_KINDS, ...SECURITY_KINDS].toSorted());
  for (const { apiVersion, kind, metadata, ...rest } of ours) {
    const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${pluralOf(kind)}/${metadata.name}`;
    const query = 'fieldManager=test&fieldValidation=Strict';
    const body = { apiVersion, kind, metadata, ...rest };
    const answer = await api.client.send('PATCH', `${path}?${query}`, body, 'application/apply-patch+yaml');
    t.is(answer.status, 201, `${kind} ${metadata.name}: ${JSON.stringify(answer.body)}`);
  }
});

const PLURALS: Readonly<Record<string, string>> = {
  AuthorizationPolicy: 'authorizationpolicies',
  ServiceEntry: 'serviceentries',
  WorkloadEntry: 'workloadentries',
};

function pluralOf(kind: string): string {
  return PLURALS[kind] ?? `${kind.toLowerCase()}s`;
}

it('the account of meshd has the rights that it needs, and no other right of the API server', async (t) => {
  const expected = MESHD_MAY.flatMap(({ group, resources, verbs, namespaces }) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => namespaces.map((namespace) => `${verb} ${resource}.${group} in ${namespace}`)),
    ),
  );
  const allowed: string[] = [];
  for (const permission of await everyPermission()) {
    if (await isAllowed(permission)) {
      const { verb, resource, group, namespace } = permission;
      allowed.push(`${verb} ${resource}.${group} in ${namespace}`);
    }
  }
  t.deepEqual(allowed.toSorted(), expected.toSorted());
});

it('a real token of meshd can write only the status of an object', async (t) => {
  const meshd = await clientOfMeshd(t);
  const path = '/apis/config.mesh.internal/v1alpha2/namespaces/shop/quotaspecs/books';
  const apply = (where: string, body: object) =>
    meshd.send(
      'PATCH',
      `${where}?fieldManager=meshd&force=true`,
      { apiVersion: 'config.mesh.internal/v1alpha2', kind: 'QuotaSpec', metadata: { name: 'books' }, ...body },
      'application/apply-patch+yaml',
    );
  const spec = { rules: [{ quotas: [{ quota: 'stolen', charge: 1 }] }] };
  const status = { conditions: [{ type: 'Accepted', status: 'True' }] };
  t.is((await apply(path, { spec })).status, 403);
  t.is((await apply(`${path}/status`, { status, spec })).status, 200);
  const found = (await meshd.send('GET', path)).body as { spec: unknown; status: unknown };
  t.like(found, { status });
  t.false(JSON.stringify(found.spec).includes('stolen'));
});

const FORBIDDEN: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/namespaces/shop/secrets'],
  ['GET', '/api/v1/secrets'],
  ['POST', '/api/v1/namespaces/shop/secrets'],
  ['GET', '/api/v1/namespaces/mesh-system/secrets/other'],
  ['PATCH', '/api/v1/namespaces/shop/configmaps/other'],
  ['POST', '/api/v1/namespaces/shop/pods/web-1/exec?command=sh'],
  ['GET', '/api/v1/namespaces/shop/pods/web-1/log'],
  ['DELETE', '/apis/config.mesh.internal/v1alpha2/namespaces/shop/quotaspecs/books'],
  ['GET', '/api/v1/namespaces/shop/configmaps'],
  ['DELETE', '/api/v1/namespaces/mesh-system/services/meshd'],
  ['POST', '/api/v1/namespaces/mesh-system/serviceaccounts/meshd/token'],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/mesh-system/rolebindings'],
];

it('a real token of meshd cannot access secrets of other namespaces, commands in pods, tokens, roles and foreign objects', async (t) => {
  const meshd = await clientOfMeshd(t);
  for (const [method, path] of FORBIDDEN) t.is((await meshd.send(method, path)).status, 403, `${method} ${path}`);
  t.is((await meshd.send('GET', '/api/v1/services')).status, 200);
});

/**
 * The status writer looks for an object whose CRD lost its status, which does not happen here. An apply of a new object
 * needs the right to create it as well, but the log says patch.
 */
const SELDOM_USED = POLICY_KINDS.map((resource) => `get ${resource}.config.mesh.internal`)
  .concat(NETWORKING_KINDS.map((resource) => `get ${resource}.networking.mesh.internal`))
  .concat(SECURITY_KINDS.map((resource) => `get ${resource}.security.mesh.internal`));

/** The roots in the ConfigMaps of workloads. */
async function rootsIn(namespace: string): Promise<string> {
  const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/configmaps/mesh-ca-root-cert`);
  return (body as { data?: { 'root-cert.pem'?: string } }).data?.['root-cert.pem'] ?? '';
}

/** The addresses of an Ingress appear in its status, follow the Service of the gateways, and leave with its class. */
async function checkIngressStatus(): Promise<void> {
  const service = (externalIPs: readonly string[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'mesh-ingressgateway', namespace: 'mesh-system' },
    spec: { externalIPs, ports: [{ name: 'http', port: 80 }] },
  });
  const ingress = (className: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ingressClassName: className, defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  });
  const hasAddresses = (expected: readonly string[]) =>
    eventually(`the Ingress has the addresses ${expected.join()}`, async () => {
      const { body } = await api.client.send('GET', '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web');
      const { status } = body as { status: { loadBalancer: { ingress?: readonly { ip: string }[] } } };
      return (status.loadBalancer.ingress ?? []).map(({ ip }) => ip).join() === expected.join();
    });
  await api.client.applyAll([service(['192.0.2.1', '192.0.2.2']), ingress('mesh')]);
  await hasAddresses(['192.0.2.1', '192.0.2.2']);
  await api.client.apply(service(['192.0.2.3']));
  await hasAddresses(['192.0.2.3']);
  await api.client.apply(ingress('other'));
  await hasAddresses([]);
}

it('keys, certificates, webhooks and callers with tokens: RBAC denies the control plane nothing', async (t) => {
  // Settings of a user: their last good copy is kept.
  await succeed(t, '-n', 'mesh-system', 'create', 'configmap', 'mesh', '--from-literal=mesh=connectTimeout: 3s');
  const server = await startServer(t, {
    orchConfig: await kubeconfigOfMeshd(),
    flags: ['--namespace', 'mesh-system'],
    variables: { ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0' },
  });
  await eventually('roots in both namespaces', async () => {
    return (await rootsIn('mesh-system')) !== '' && (await rootsIn('shop')) !== '';
  });
  const configuration = '/apis/admissionregistration.k8s.io/v1';
  for (const path of [
    'validatingwebhookconfigurations/meshd-mesh-system',
    'mutatingwebhookconfigurations/mesh-sidecar-injector',
  ]) {
    await eventually(`${path} has a caBundle`, async () =>
      JSON.stringify((await api.client.send('GET', `${configuration}/${path}`)).body).includes('"caBundle"'),
    );
  }
  const [ready] = server.logged('discovery server is ready');
  const token = await tokenOfMeshd(['mesh-ca']);
  const answer = await createCertificate({
    address: String(ready?.['secureGrpc']),
    roots: await rootsIn('shop'),
    token,
  });
  t.is(answer, 'INVALID_ARGUMENT', 'the token is good, and the empty request is not');
  await checkIngressStatus();
  await server.stop();
  const forbidden = (await audit.read('navigator-discovery/')).filter(({ isForbidden }) => isForbidden);
  t.deepEqual(forbidden, []);
});

it('reading the cluster and writing statuses uses every granted right, and RBAC denies nothing', async (t) => {
  const kubeconfig = await kubeconfigOfMeshd();
  const namespace = 'mesh-system';
  for (const useEndpointSlice of [true, false]) {
    const harness = createClusterHarness(t, kubeconfig, { useEndpointSlice });
    await harness.start();
    t.deepEqual(harness.source.forbidden(), []);
    t.true(harness.objects.has('QuotaSpec/shop/books'));
    t.deepEqual(harness.messages('warn'), []);
    const watched = `watch ${useEndpointSlice ? 'endpointslices.discovery.k8s.io' : 'endpoints.'}`;
    await eventually(watched, async () => {
      const requests = await audit.read('navigator-discovery/');
      return requests.some(({ permission }) => permission === watched);
    });
    await harness.source.stop();
  }

  await api.client.applyAll(booksService(namespace));
  const first = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig, namespace });
  const second = await startStatusInstance(t, { podName: 'meshd-1', kubeconfig, namespace });
  first.connect('books-1', '10.244.1.1');
  second.connect('books-2', '10.244.1.2');
  const samples = ['samples/mesh', 'samples/plans', 'samples/policy-rules']
    .flatMap((folder) => readDocuments(folder))
    .filter(({ apiVersion }) => apiVersion.includes('.mesh.internal/'));
  const own = { apiVersion: 'config.mesh.internal/v1alpha2', metadata: { name: 'accounts' } };
  const ownAdapter = [
    { ...own, kind: 'template', spec: { descriptor: ACCOUNTS } },
    { ...own, kind: 'adapter', spec: { templates: ['accounts'], config: ACCOUNTS } },
  ];
  const moved = [...samples, ...ownAdapter].map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  }));
  await api.client.applyAll([...moved, quotaSpec(namespace, 'mine'), quotaBinding(namespace, 'mine')]);
  // Both instances reported, and one wrote statuses.
  await hasCondition(api, quotaSpec(namespace, 'mine'), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  for (const object of moved) await hasCondition(api, object, 'Accepted', 'True Valid: It is valid.');
  // A broken reference becomes an Event.
  await api.client.apply(quotaBinding(namespace, 'dangling', 'nowhere'));
  await eventually('an Event is written', async () => {
    const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/events`);
    return JSON.stringify(body).includes('SpecNotFound');
  });
  // The other instance takes over.
  await first.stop();
  await hasCondition(api, quotaSpec(namespace, 'mine'), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  await second.stop();
  const { body } = await api.client.send('GET', '/api/v1/namespaces/mesh-system/configmaps');
  t.false(JSON.stringify(body).includes('-distribution"'), 'reports are removed');
  const requests = await audit.read('navigator-discovery/');
  t.deepEqual(
    requests.filter(({ isForbidden }) => isForbidden),
    [],
  );
  const given = MESHD_MAY.flatMap(({ group, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
  );
  const used = new Set(requests.map(({ permission }) => permission));
  t.deepEqual(given.filter((permission) => !used.has(permission)).toSorted(), SELDOM_USED.toSorted());
});

it('the account of the policy servers has no rights', async (t) => {
  const answer = await api.client.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: 'system:serviceaccount:mesh-system:navigator-policy',
      resourceAttributes: { verb: 'list', resource: 'services' },
    },
  });
  t.like(answer.body, { status: { allowed: false } });
});

it('a plan has the keys of Secrets while the Role of docs/plans.md is granted, and refuses them otherwise', async (t) => {
  const { books, plan, consumer, secret, grant } = planWithSecrets('vault');
  await api.client.applyAll([...books, secret('keys', KEYS.first), secret('other', KEYS.other), plan]);
  await api.client.apply(consumer('acme', 'keys'));
  const server = await startServer(t, {
    orchConfig: await kubeconfigOfMeshd(),
    flags: ['--namespace', 'mesh-system'],
    variables: { NAV_ENABLE_STATUS: 'true', POD_NAME: 'meshd-0' },
  });
  await writeFile(server.meshConfigFile, CHECKS_ON);
  const client = connectPolicyClient(t, server.policyPort);
  const codes = (): Promise<readonly number[]> =>
    Promise.all(
      Object.values(KEYS).map((key) => client.ask(BOOKS_OF_VAULT, { path: '/', headers: { 'x-api-key': key } })),
    );
  /** @param expected for the keys first, second and other */
  const answers = (what: string, ...expected: readonly number[]) =>
    eventually(what, async () => {
      const found = (await codes()).join();
      if (found !== expected.join()) throw new Error(`it is ${found}`);
      return true;
    });
  const resolvedRefs = (expected: string) => hasCondition(api, consumer('acme'), 'ResolvedRefs', expected);
  const noKeys = (index: number, name: string, reason: string) =>
    `spec.keys[${index}].secretRef: the Secret ${name} gives no keys: ${reason}`;

  await resolvedRefs(`False KeysNotUsable: ${noKeys(0, 'keys', MAY_NOT_READ)}.`);
  await answers('no key is known without the grant', 401, 401, 401);
  const [logged] = server.logged(
    'a kind of object may not be read, grant get, list and watch to this service account; the rest is served',
  );
  t.like(logged, { level: 'error', namespace: 'vault' });

  await api.client.applyAll(grant);
  await answers('only the key of the named Secret is known', 200, 401, 401);
  await resolvedRefs('True Resolved: All references exist.');
  await api.client.apply(secret('keys', KEYS.second));
  await answers('the new key of the Secret takes the place of the old one', 401, 200, 401);
  await api.client.delete(secret('keys'));
  await answers('a deleted Secret has no keys', 401, 401, 401);
  await resolvedRefs(`False KeysNotUsable: ${noKeys(0, 'keys', MISSING)}.`);
  await api.client.apply(secret('keys', KEYS.first));
  await answers('the Secret exists again', 200, 401, 401);

  for (const each of grant) await api.client.delete(each);
  // The watch goes on for minutes; a new name makes the control plane list the Secrets.
  await api.client.apply(consumer('acme', 'keys', 'other'));
  await answers('no key is known after the grant', 401, 401, 401);
  await resolvedRefs(`False KeysNotUsable: ${noKeys(0, 'keys', MAY_NOT_READ)}; ${noKeys(1, 'other', MAY_NOT_READ)}.`);
  const pages = await Promise.all(['/debug/configz', '/debug/quotas', '/metrics'].map((page) => server.http.get(page)));
  const shown = JSON.stringify([server.log, pages]);
  for (const key of Object.values(KEYS)) t.false(shown.includes(key), key);
});

async function tokenOfMeshd(audiences?: readonly string[]): Promise<string> {
  const answer = await api.client.send('POST', '/api/v1/namespaces/mesh-system/serviceaccounts/meshd/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences },
  });
  return (answer.body as { status: { token: string } }).status.token;
}

async function kubeconfigOfMeshd(): Promise<string> {
  const admin = load(await readFile(api.kubeconfig, 'utf8')) as object;
  const file = join(api.folder, 'kubeconfig-meshd');
  const users = [{ name: 'admin', user: { token: await tokenOfMeshd() } }];
  await writeFile(file, JSON.stringify({ ...admin, users }));
  return file;
}

async function clientOfMeshd(t: ExecutionContext) {
  const client = createKubernetesClient(api.url, await tokenOfMeshd(), () => api.ca());
  t.teardown(() => client.close());
  return client;
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Every verb on every resource that the API server serves, in the namespace of meshd and in another one. */
async function everyPermission(): Promise<readonly Permission[]> {
  const { body: core } = await api.client.send('GET', '/api/v1');
  const { body: groupList } = await api.client.send('GET', '/apis');
  const { groups } = groupList as { groups: { name: string; preferredVersion: { groupVersion: string } }[] };
  const lists = await Promise.all(
    groups.map(async ({ name, preferredVersion }) => ({
      group: name,
      body: (await api.client.send('GET', `/apis/${preferredVersion.groupVersion}`)).body,
    })),
  );
  return [{ group: '', body: core }, ...lists].flatMap(({ group, body }) =>
    (body as { resources: { name: string }[] }).resources.flatMap(({ name: resource }) =>
      VERBS.flatMap((verb) => ['mesh-system', 'shop'].map((namespace) => ({ group, resource, verb, namespace }))),
    ),
  );
}

async function isAllowed({ group, resource, verb, namespace }: Permission): Promise<boolean> {
  const [name = '', subresource] = resource.split('/');
  const resourceAttributes = {
    group,
    resource: name,
    verb,
    namespace,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const answer = await api.client.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    // Without the group system:authenticated, whose rights every user has.
    spec: {
      user: 'system:serviceaccount:mesh-system:meshd',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:mesh-system'],
      resourceAttributes,
    },
  });
  return (answer.body as { status: { allowed: boolean } }).status.allowed;
}
