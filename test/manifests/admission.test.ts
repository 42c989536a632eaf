import test, { type ExecutionContext } from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import { webhookRules, withTrust } from '../../src/webhooks/certificates/webhook-configuration.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { createKubernetesClient } from '../counterparts/kubernetes/kubernetes-client.js';
import { eventually } from '../support/eventually.js';
import { createKubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import { findDocument } from './support/read-documents.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.serial.skip : test.serial;
const OWN = '/api/v1/namespaces/mesh-system';
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1';
const MUTATING = `${WEBHOOKS}/mutatingwebhookconfigurations/mesh-sidecar-injector`;
const VALIDATING = `${WEBHOOKS}/validatingwebhookconfigurations/meshd-mesh-system`;

let api: ApiServer;

if (binary !== undefined) {
  test.before(async (t) => {
    api = await startApiServer({ binary });
    const kubectl = createKubectl(api);
    t.is((await kubectl('apply', '-f', 'manifests/00-namespace.yaml')).code, 0);
    const { code, complaint } = await kubectl('apply', '-f', 'manifests/');
    t.deepEqual({ code, complaint }, { code: 0, complaint: '' });
    const ends: (() => void)[] = [];
    const meshd = await clientOfMeshd({ teardown: (end) => void ends.push(end as () => void) });
    // API servers enforce policies within seconds after their creation.
    for (const [path, name] of [
      [`${OWN}/secrets?dryRun=All`, 'other'],
      [`${OWN}/configmaps?dryRun=All`, 'other'],
    ] as const) {
      await eventually(`policies for ${path}`, async () => {
        const body = { apiVersion: 'v1', kind: path.includes('secrets') ? 'Secret' : 'ConfigMap', metadata: { name } };
        return (await meshd.send('POST', path, body)).status === 422;
      });
    }
    await eventually('the policy for webhooks', async () => {
      const patch = [{ op: 'remove', path: '/webhooks/0' }];
      return (await meshd.send('PATCH', `${MUTATING}?dryRun=All`, patch, 'application/json-patch+json')).status === 422;
    });
    for (const end of ends) end();
  });
  test.after.always(() => api?.close());
}

async function clientOfMeshd(t: Pick<ExecutionContext, 'teardown'>) {
  const { body } = await api.client.send('POST', `${OWN}/serviceaccounts/meshd/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  const { token } = (body as { status: { token: string } }).status;
  const client = createKubernetesClient(api.url, token, () => api.ca());
  t.teardown(() => client.close());
  return client;
}

const messageOf = (body: unknown): string => String((body as { message?: string }).message);

/** Rights that an administrator may have added by mistake: the policies deny them too. */
async function grantTokens(): Promise<void> {
  const version = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: 'meshd', namespace: 'mesh-system' }];
  const metadata = { name: 'mistake' };
  const rules = [{ apiGroups: [''], resources: ['serviceaccounts/token', 'secrets'], verbs: ['create', 'update'] }];
  await api.client.applyAll([
    { apiVersion: version, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: version,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'mistake' },
      subjects,
    },
  ]);
}

it('a secret of any name that receives the token of an account is rejected', async (t) => {
  const meshd = await clientOfMeshd(t);
  for (const name of ['stolen', 'mesh-ca-secret']) {
    const { status, body } = await meshd.send('POST', `${OWN}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'default' } },
      type: 'kubernetes.io/service-account-token',
    });
    t.is(status, 422, name);
    t.regex(messageOf(body), /denied request: meshd (writes no secret but|creates) mesh-ca-secret/);
  }
});

it('meshd creates and replaces only the secret of its root', async (t) => {
  const meshd = await clientOfMeshd(t);
  const secret = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    type: 'mesh.internal/ca-root',
    data: { 'ca-key.pem': '' },
  });
  t.is((await meshd.send('POST', `${OWN}/secrets`, secret('other'))).status, 422);
  t.is((await meshd.send('POST', `${OWN}/secrets`, secret('mesh-ca-secret'))).status, 201);
  const patch = { data: { 'ca-key.pem': 'YQ==' } };
  const answer = await meshd.send('PATCH', `${OWN}/secrets/mesh-ca-secret`, patch, 'application/merge-patch+json');
  t.is(answer.status, 200, messageOf(answer.body));
});

it('meshd cannot create a token of an account, even if RBAC allows it', async (t) => {
  const meshd = await clientOfMeshd(t);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  t.is((await meshd.send('POST', `${OWN}/serviceaccounts/meshd/token`, request)).status, 403);
  await grantTokens();
  const refused = await eventually('RBAC lets it', async () => {
    const answer = await meshd.send('POST', `${OWN}/serviceaccounts/meshd/token`, request);
    return messageOf(answer.body).includes('denied request') ? answer : undefined;
  });
  t.regex(messageOf(refused.body), /meshd makes no tokens of service accounts/);
});

const CHANGES: readonly (readonly [what: string, path: string, patch: object])[] = [
  ['another host', '/webhooks/0/clientConfig', { url: 'https://attacker.example/inject' }],
  ['another Service', '/webhooks/0/clientConfig/service/name', 'attacker' as unknown as object],
  ['another path', '/webhooks/0/clientConfig/service/path', '/other' as unknown as object],
  ['other namespaces', '/webhooks/0/namespaceSelector', { matchLabels: { a: 'b' } }],
  ['some objects', '/webhooks/0/objectSelector', { matchLabels: { a: 'b' } }],
  [
    'all resources',
    '/webhooks/0/rules',
    [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  ],
  [
    'deletions',
    '/webhooks/0/rules',
    [{ operations: ['DELETE'], apiGroups: ['config.mesh.internal'], apiVersions: ['*'], resources: ['*'] }],
  ],
  [
    'a group that only looks like one of the mesh',
    '/webhooks/0/rules',
    [{ operations: ['CREATE'], apiGroups: ['config.mesh.internal', 'apps'], apiVersions: ['*'], resources: ['*'] }],
  ],
  ['some requests', '/webhooks/0/matchConditions', [{ name: 'a', expression: 'true' }]],
  ['more time', '/webhooks/0/timeoutSeconds', 30 as unknown as object],
  ['another name', '/webhooks/0/name', 'other.mesh.internal' as unknown as object],
  ['no webhook', '/webhooks', []],
  ['an owner', '/metadata/ownerReferences', [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'b' }]],
  ['a label', '/metadata/labels/a', 'b' as unknown as object],
];

for (const [what, path, value] of CHANGES) {
  it(`meshd cannot give a webhook configuration ${what}`, async (t) => {
    const meshd = await clientOfMeshd(t);
    const patch = [{ op: 'add', path, value }];
    const mutating = await meshd.send('PATCH', MUTATING, patch, 'application/json-patch+json');
    t.is(mutating.status, 422, messageOf(mutating.body));
    t.regex(messageOf(mutating.body), /denied request: meshd changes caBundle and failurePolicy of its webhooks/);
    // The account may update the validating one: a whole object.
    const { body } = await api.client.send('GET', VALIDATING);
    const object = structuredClone(body) as Record<string, unknown>;
    setAt(object, path, value);
    const validating = await meshd.send('PUT', VALIDATING, object);
    t.is(validating.status, 422, messageOf(validating.body));
    t.regex(messageOf(validating.body), /denied request: meshd changes caBundle and failurePolicy of its webhooks/);
  });
}

function setAt(object: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('/').slice(1);
  const last = keys.pop() ?? '';
  let target = object as Record<string, Record<string, unknown>>;
  for (const key of keys) {
    target[key] ??= {};
    target = target[key] as Record<string, Record<string, unknown>>;
  }
  (target as Record<string, unknown>)[last] = value;
}

it('meshd sets caBundle and failurePolicy of both webhook configurations', async (t) => {
  const meshd = await clientOfMeshd(t);
  const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n').toString('base64');
  for (const failurePolicy of ['Fail', 'Ignore']) {
    const patch = [
      { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle },
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: failurePolicy },
    ];
    const mutating = await meshd.send('PATCH', `${MUTATING}?dryRun=All`, patch, 'application/json-patch+json');
    // The API server's own validation, after admission, rejects an invalid certificate.
    t.notRegex(messageOf(mutating.body), /denied request/);
    const { body } = await api.client.send('GET', VALIDATING);
    const object = structuredClone(body) as { webhooks: { failurePolicy: string }[] };
    for (const webhook of object.webhooks) webhook.failurePolicy = failurePolicy;
    const validating = await meshd.send('PUT', VALIDATING, object);
    t.is(validating.status, 200, messageOf(validating.body));
  }
});

it('meshd gives the validating webhook configuration the rules for its own kinds, and the mutating one none', async (t) => {
  const meshd = await clientOfMeshd(t);
  const rules = webhookRules(createKindRegistry('mesh.internal').definitions, 'mesh.internal');
  const changed = withTrust((await api.client.send('GET', VALIDATING)).body, '', 'Ignore', rules);
  const answer = await meshd.send('PUT', VALIDATING, changed);
  t.is(answer.status, 200, messageOf(answer.body));
  const taken = withTrust(answer.body, '', 'Ignore', rules);
  t.is(taken, undefined, 'the API server holds the rules as they were written');
  const patch = [{ op: 'add', path: '/webhooks/0/rules', value: rules }];
  t.is((await meshd.send('PATCH', MUTATING, patch, 'application/json-patch+json')).status, 422);
});

it('meshd writes the roots, its report and the last good settings, and cannot change the injection template or the settings', async (t) => {
  const meshd = await clientOfMeshd(t);
  const apply = async (namespace: string, name: string) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}?fieldManager=meshd&force=true`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } };
    return (await meshd.send('PATCH', path, body, 'application/apply-patch+yaml')).status;
  };
  t.is(await apply('default', 'mesh-ca-root-cert'), 201);
  t.is(await apply('mesh-system', 'meshd-0-distribution'), 201);
  t.is((await meshd.send('DELETE', `${OWN}/configmaps/meshd-0-distribution`)).status, 200);
  t.is(await apply('mesh-system', 'mesh-last-good-settings'), 201);
  t.is(await apply('mesh-system', 'mesh-canary-last-good-settings'), 201);
  for (const name of ['mesh-sidecar-injector', 'mesh-sidecar-injector-defaults', 'mesh', 'mesh-policy', 'other']) {
    t.is(await apply('mesh-system', name), 422, name);
  }
  t.is((await meshd.send('DELETE', `${OWN}/configmaps/mesh-sidecar-injector-defaults`)).status, 422);
});

it('meshd cannot have every namespace injected', async (t) => {
  const meshd = await clientOfMeshd(t);
  const patch = [{ op: 'replace', path: '/webhooks/0/namespaceSelector', value: {} }];
  t.is((await meshd.send('PATCH', MUTATING, patch, 'application/json-patch+json')).status, 422);
});

it('the policies do not apply to administrators', async (t) => {
  const patch = [{ op: 'add', path: '/webhooks/0/timeoutSeconds', value: 9 }];
  t.is((await api.client.send('PATCH', MUTATING, patch, 'application/json-patch+json')).status, 200);
});

it('the policies name the account of the Deployment, and are bound', async (t) => {
  const { namespace, name } = findDocument('ServiceAccount', 'meshd').metadata;
  for (const policy of ['navigator-meshd-tokens', 'navigator-meshd-webhooks', 'navigator-meshd-configmaps']) {
    const { spec } = findDocument('ValidatingAdmissionPolicy', policy) as unknown as {
      spec: { matchConditions: { expression: string }[] };
    };
    t.deepEqual(
      spec.matchConditions.map(({ expression }) => expression),
      [`request.userInfo.username == "system:serviceaccount:${namespace}:${name}"`],
    );
    t.like(findDocument('ValidatingAdmissionPolicyBinding', policy), {
      spec: { policyName: policy, validationActions: ['Deny'] },
    });
  }
});
