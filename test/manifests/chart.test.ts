import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { load } from 'js-yaml';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { projectRoot } from '../counterparts/project-root.js';
import { createHelm, type Helm, requireHelm } from './support/helm.js';
import { createKubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import { type Deployment, type ManifestDocument, readDocuments } from './support/read-documents.js';
import type { ToolResult } from './support/run-tool.js';

const binary = requireHelm();
// One Helm at a time.
const it = binary === undefined ? test.serial.skip : test.serial;
let helm: Helm;

if (binary !== undefined) {
  test.before(async () => {
    helm = await createHelm(binary);
  });
  test.after.always(() => helm?.close());
}

const nameOf = ({ kind, metadata: { name, namespace = '' } }: ManifestDocument): string =>
  `${kind} ${namespace}/${name}`;
const sorted = (documents: readonly ManifestDocument[]) =>
  documents.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
const find = (documents: readonly ManifestDocument[], name: string): ManifestDocument | undefined =>
  documents.find((each) => nameOf(each) === name);

it('with its defaults the chart has the objects of manifests/, except the namespace', async (t) => {
  const expected = readDocuments('manifests').filter(({ kind }) => kind !== 'Namespace');
  t.deepEqual(sorted(await helm.render()), sorted(expected));
});

it('policyServer.enabled adds the objects of manifests/policy/', async (t) => {
  const expected = [...readDocuments('manifests'), ...readDocuments('manifests/policy')];
  const documents = await helm.render({ policyServer: { enabled: true } });
  t.deepEqual(sorted(documents), sorted(expected.filter(({ kind }) => kind !== 'Namespace')));
});

it('in another namespace no object names mesh-system', async (t) => {
  const documents = await helm.render({ policyServer: { enabled: true } }, '-n', 'control-plane');
  const descriptions = new Set(['CustomResourceDefinition']);
  for (const document of documents.filter(({ kind }) => !descriptions.has(kind))) {
    t.false(JSON.stringify(document).includes('mesh-system'), nameOf(document));
  }
  t.truthy(find(documents, 'Deployment control-plane/meshd'));
  t.truthy(find(documents, 'ValidatingWebhookConfiguration /meshd-control-plane'));
});

it('a revision shares no object with another release, and refers to none but the root certificate', async (t) => {
  const documents = await helm.render({ revision: 'canary' });
  const others = new Set(readDocuments('manifests').map(nameOf));
  t.deepEqual(
    documents.map(nameOf).filter((name) => others.has(name) || !name.includes('-canary')),
    [],
  );
  t.is(documents.length, [...others].filter((name) => !/^(CustomResourceDefinition|Namespace) /.test(name)).length);
  for (const document of documents.filter(({ metadata }) => !metadata.name.includes('injector-defaults'))) {
    t.notRegex(JSON.stringify(document), /\bmeshd(?=[":]|\.mesh|-mesh|-webhook)/, nameOf(document));
  }
  const configMaps = podOf(find(documents, 'Deployment mesh-system/meshd-canary') as Deployment).volumes;
  for (const name of ['mesh', 'mesh-policy', 'mesh-sidecar-injector', 'mesh-sidecar-injector-defaults']) {
    t.true(JSON.stringify(configMaps).includes(`"name":"${name}-canary"`), name);
  }
});

it('Helm finds nothing to criticise in the chart', async (t) => {
  const { code, output } = await helm.run('lint', '--strict', helm.chart);
  t.is(code, 0, output);
});

const meshd = (documents: readonly ManifestDocument[]) => find(documents, 'Deployment mesh-system/meshd') as Deployment;
const policyServer = (documents: readonly ManifestDocument[]) =>
  find(documents, 'Deployment mesh-system/navigator-policy') as Deployment;
const podOf = (deployment: Deployment) => deployment.spec.template.spec;
const containerOf = (deployment: Deployment) => podOf(deployment).containers[0];
const variable = (deployment: Deployment | undefined, name: string) =>
  deployment && containerOf(deployment).env.find((each) => each.name === name)?.value;
const dataOf = (documents: readonly ManifestDocument[], name: string) =>
  (find(documents, `ConfigMap mesh-system/${name}`)?.['data'] ?? {}) as Record<string, string>;
const initImage = (documents: readonly ManifestDocument[]) =>
  (load(dataOf(documents, 'mesh-sidecar-injector-defaults')['values'] ?? '') as { init: { image: string } }).init.image;
const DIGEST = `sha256:${'a'.repeat(64)}`;

interface Effect {
  readonly values: object;
  /** Whether policy servers are enabled beside the values. */
  readonly isOfPolicyServer?: true;
  /** What the objects show of the values. */
  readonly see: (documents: readonly ManifestDocument[]) => unknown;
  readonly expected: unknown;
}

/** @param other the revision of objects without the label */
const ofCanary = (other: string) => [
  {
    name: 'revision',
    expression: `object.metadata.?labels[?"mesh.internal/rev"].orValue("${other}") == "canary"`,
  },
];
const NO_SYSTEM_NAMESPACE = {
  ...{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' },
  values: ['kube-system', 'kube-public', 'mesh-system'],
};

/** Each value of values.yaml, with what it changes. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  revision: {
    values: { revision: 'canary' },
    see: (documents) => [
      variable(find(documents, 'Deployment mesh-system/meshd-canary') as Deployment | undefined, 'REVISION'),
      ...documents
        .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
        .flatMap((each) => each['webhooks'] as readonly Record<string, unknown>[])
        .map(({ namespaceSelector, objectSelector, matchConditions }) => ({
          ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
          ...(objectSelector === undefined ? {} : { objectSelector }),
          ...(matchConditions === undefined ? {} : { matchConditions }),
        })),
    ],
    expected: [
      'canary',
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'mesh-injection', operator: 'NotIn', values: ['disabled'] }, NO_SYSTEM_NAMESPACE],
        },
        objectSelector: { matchLabels: { 'mesh.internal/rev': 'canary' } },
      },
      {
        namespaceSelector: {
          matchLabels: { 'mesh.internal/rev': 'canary' },
          matchExpressions: [{ key: 'mesh-injection', operator: 'DoesNotExist' }, NO_SYSTEM_NAMESPACE],
        },
        matchConditions: ofCanary('canary'),
      },
      { matchConditions: ofCanary('default') },
    ],
  },
  'image.repository': {
    values: { image: { repository: 'registry.example.com/navigator' } },
    see: (documents) => [containerOf(meshd(documents)).image, initImage(documents)],
    expected: ['registry.example.com/navigator:0.1.0', 'registry.example.com/navigator:0.1.0'],
  },
  'image.tag': {
    values: { image: { tag: 'next' } },
    see: (documents) => containerOf(meshd(documents)).image,
    expected: 'navigator-discovery:next',
  },
  'image.digest': {
    values: { image: { tag: 'next', digest: DIGEST } },
    see: (documents) => containerOf(meshd(documents)).image,
    expected: `navigator-discovery@${DIGEST}`,
  },
  imagePullSecrets: {
    isOfPolicyServer: true,
    values: { imagePullSecrets: [{ name: 'registry' }] },
    see: (documents) => [meshd(documents), policyServer(documents)].map((each) => podOf(each)['imagePullSecrets']),
    expected: [[{ name: 'registry' }], [{ name: 'registry' }]],
  },
  replicas: { values: { replicas: 3 }, see: (documents) => meshd(documents).spec.replicas, expected: 3 },
  'resources.requests': {
    values: { resources: { requests: { cpu: 2 } } },
    see: (documents) => containerOf(meshd(documents))['resources'],
    expected: { requests: { cpu: 2, memory: '256Mi' }, limits: { memory: '1Gi' } },
  },
  'resources.limits': {
    values: { resources: { limits: { memory: '2Gi' } } },
    see: (documents) => containerOf(meshd(documents))['resources'],
    expected: { requests: { cpu: '200m', memory: '256Mi' }, limits: { memory: '2Gi' } },
  },
  heapMiB: {
    values: { heapMiB: 1400 },
    see: (documents) => variable(meshd(documents), 'NODE_OPTIONS'),
    expected: '--max-old-space-size=1400',
  },
  nodeSelector: {
    values: { nodeSelector: { pool: 'system' } },
    see: (documents) => podOf(meshd(documents))['nodeSelector'],
    expected: { pool: 'system' },
  },
  tolerations: {
    values: { tolerations: [{ key: 'system', operator: 'Exists' }] },
    see: (documents) => podOf(meshd(documents))['tolerations'],
    expected: [{ key: 'system', operator: 'Exists' }],
  },
  affinity: {
    values: { affinity: { nodeAffinity: {} } },
    see: (documents) => podOf(meshd(documents))['affinity'],
    expected: { nodeAffinity: {} },
  },
  priorityClassName: {
    values: { priorityClassName: 'system-cluster-critical' },
    see: (documents) => podOf(meshd(documents))['priorityClassName'],
    expected: 'system-cluster-critical',
  },
  podAnnotations: {
    values: { podAnnotations: { team: 'mesh' } },
    see: (documents) => meshd(documents).spec.template.metadata.annotations,
    expected: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '15014', team: 'mesh' },
  },
  flags: {
    values: { flags: ['--log_output_level=xds:debug'] },
    see: (documents) => containerOf(meshd(documents)).args.at(-1),
    expected: '--log_output_level=xds:debug',
  },
  variables: {
    values: { variables: { NAV_XDS_MAX_NAMES: '20000' } },
    see: (documents) => variable(meshd(documents), 'NAV_XDS_MAX_NAMES'),
    expected: '20000',
  },
  mesh: {
    values: { mesh: { accessLogFile: '/dev/stdout', defaultConfig: { concurrency: 2 } } },
    see: (documents) => load(dataOf(documents, 'mesh')['mesh'] ?? ''),
    expected: { accessLogFile: '/dev/stdout', defaultConfig: { concurrency: 2 } },
  },
  meshNetworks: {
    values: { meshNetworks: { networks: {} } },
    see: (documents) => load(dataOf(documents, 'mesh')['meshNetworks'] ?? ''),
    expected: { networks: {} },
  },
  policy: {
    values: { policy: { quotas: [{ name: 'requests', maxAmount: 10 }] } },
    see: (documents) => load(dataOf(documents, 'mesh-policy')['policy'] ?? ''),
    expected: { quotas: [{ name: 'requests', maxAmount: 10 }] },
  },
  'injection.enabled': {
    values: { injection: { enabled: false } },
    see: (documents) => [
      find(documents, 'ConfigMap mesh-system/mesh-sidecar-injector-defaults'),
      find(documents, 'MutatingWebhookConfiguration /mesh-sidecar-injector'),
    ],
    expected: [undefined, undefined],
  },
  'injection.values': {
    values: { injection: { values: { proxy: { logLevel: 'info' } } } },
    see: (documents) => load(dataOf(documents, 'mesh-sidecar-injector')['values'] ?? ''),
    expected: { proxy: { logLevel: 'info' } },
  },
  customResourceDefinitions: {
    values: { customResourceDefinitions: false },
    see: (documents) => documents.filter(({ kind }) => kind === 'CustomResourceDefinition'),
    expected: [],
  },
  validation: {
    values: { validation: false },
    see: (documents) => find(documents, 'ValidatingWebhookConfiguration /meshd-mesh-system'),
    expected: undefined,
  },
  readSecretsOf: {
    values: { readSecretsOf: ['shop'], revision: 'canary' },
    see: (documents) =>
      [
        find(documents, 'Role shop/meshd-read-secrets-canary'),
        find(documents, 'RoleBinding shop/meshd-read-secrets-canary'),
      ].map((each) => each?.['rules'] ?? [each?.['roleRef'], each?.['subjects']]),
    expected: [
      [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] }],
      [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'meshd-read-secrets-canary' },
        [{ kind: 'ServiceAccount', name: 'meshd-canary', namespace: 'mesh-system' }],
      ],
    ],
  },
  networkPolicies: {
    values: { networkPolicies: false },
    see: (documents) => documents.filter(({ kind }) => kind === 'NetworkPolicy'),
    expected: [],
  },
  webhookCallers: {
    values: { webhookCallers: ['10.0.0.1/32', 'fd00::/64'] },
    see: (documents) => find(documents, 'NetworkPolicy mesh-system/meshd-webhook-callers')?.['spec'],
    expected: {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'meshd' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [{ protocol: 'TCP', port: 'https-webhook' }],
          from: [{ ipBlock: { cidr: '10.0.0.1/32' } }, { ipBlock: { cidr: 'fd00::/64' } }],
        },
      ],
    },
  },
  podDisruptionBudget: {
    values: { podDisruptionBudget: false },
    see: (documents) => documents.filter(({ kind }) => kind === 'PodDisruptionBudget'),
    expected: [],
  },
  'policyServer.enabled': {
    values: { policyServer: { enabled: true } },
    see: (documents) => find(documents, 'Deployment mesh-system/navigator-policy') !== undefined,
    expected: true,
  },
  'policyServer.replicas': {
    isOfPolicyServer: true,
    values: { policyServer: { replicas: 2 } },
    see: (documents) => policyServer(documents).spec.replicas,
    expected: 2,
  },
  'policyServer.resources.requests': {
    isOfPolicyServer: true,
    values: { policyServer: { resources: { requests: { memory: '1Gi' } } } },
    see: (documents) => containerOf(policyServer(documents))['resources'],
    expected: { requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '512Mi' } },
  },
  'policyServer.resources.limits': {
    isOfPolicyServer: true,
    values: { policyServer: { resources: { limits: { memory: '1Gi' } } } },
    see: (documents) => containerOf(policyServer(documents))['resources'],
    expected: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '1Gi' } },
  },
  'policyServer.heapMiB': {
    isOfPolicyServer: true,
    values: { policyServer: { heapMiB: 700 } },
    see: (documents) => variable(policyServer(documents), 'NODE_OPTIONS'),
    expected: '--max-old-space-size=700',
  },
};

for (const [name, { values, isOfPolicyServer, see, expected }] of Object.entries(EFFECTS)) {
  it(`the value ${name} has its effect`, async (t) => {
    const enabled = isOfPolicyServer === true ? ['--set', 'policyServer.enabled=true'] : [];
    t.deepEqual(see(await helm.render(values, ...enabled)), expected);
    t.notDeepEqual(see(await helm.render({}, ...enabled)), expected, 'without the value nothing differs');
  });
}

test('every value of values.yaml is in the table of effects', (t) => {
  const text = readFileSync(join(projectRoot(), 'charts/navigator/values.yaml'), 'utf8');
  const pathsOf = (value: object, prefix = ''): readonly string[] =>
    Object.entries(value).flatMap(([name, item]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      const isGroup = ['image', 'injection', 'policyServer'].includes(name) || name === 'resources';
      return isGroup ? pathsOf(item as object, `${path}.`) : [path];
    });
  t.deepEqual(pathsOf(load(text) as object).toSorted(), Object.keys(EFFECTS).toSorted());
});

const REFUSED: readonly (readonly [title: string, values: object, words: RegExp])[] = [
  ['a misspelled value', { replica: 3 }, /replica/],
  ['a misspelled value of a group', { image: { name: 'navigator' } }, /name/],
  ['a revision whose names others have', { revision: 'policy' }, /revision/],
  [
    'policy servers of a revision',
    { revision: 'canary', policyServer: { enabled: true } },
    /policyServer\.enabled: sep/,
  ],
  ['a number of pods that is text', { replicas: 'three' }, /replicas/],
  ['a flag without dashes', { flags: ['log_as_json'] }, /flags/],
  ['an address that is no range', { webhookCallers: ['10.0.0.1'] }, /webhookCallers/],
  ['a tag that would be another reference', { image: { tag: '1 --evil' } }, /tag/],
];

for (const [title, values, words] of REFUSED) {
  it(`Helm refuses ${title}`, async (t) => {
    const { message } = await t.throwsAsync(helm.render(values));
    t.regex(message, words);
  });
}

const { available: cluster } = requireKubernetesAndKubectl();

(binary === undefined || cluster === undefined ? test.serial.skip : test.serial)(
  'an installed chart differs in nothing from manifests/, also after an upgrade that is rolled back and beside another revision; uninstalling leaves the kinds',
  async (t) => {
    t.timeout(180_000);
    const api = await startApiServer({ binary: String(cluster) });
    t.teardown(() => api.close());
    const kubectl = createKubectl(api);
    const canary = helm.render({ revision: 'canary' });
    const succeed = async (result: Promise<ToolResult>): Promise<string> => {
      const { code, output, complaint } = await result;
      t.is(code, 0, complaint || output);
      return output;
    };
    const release = ['-n', 'mesh-system', '--kubeconfig', api.kubeconfig];
    const diff = async (path = 'manifests/'): Promise<string> => (await kubectl('diff', '-f', path)).output;

    await succeed(kubectl('apply', '-f', 'manifests/00-namespace.yaml'));
    await succeed(helm.run('install', 'navigator', helm.chart, ...release));
    t.is(await diff(), '');
    await succeed(helm.run('upgrade', 'navigator', helm.chart, ...release, '--set', 'heapMiB=1400'));
    t.regex(await diff(), /-.*--max-old-space-size=1400/);
    await succeed(helm.run('rollback', 'navigator', '1', ...release));
    t.is(await diff(), '');
    await succeed(helm.run('install', 'navigator-canary', helm.chart, ...release, '--set', 'revision=canary'));
    const rendered = join(api.folder, 'canary.json');
    await writeFile(rendered, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: await canary }));
    t.is(await diff(rendered), '');
    await succeed(helm.run('uninstall', 'navigator-canary', ...release));
    t.is(await diff(), '', 'the release without a revision is as it was');
    await succeed(helm.run('uninstall', 'navigator', ...release));
    const left = await succeed(kubectl('get', '-f', 'manifests/', '--ignore-not-found', '-o', 'name'));
    const names = left.trim().split('\n');
    t.true(names.includes('customresourcedefinition.apiextensions.k8s.io/quotaspecs.config.mesh.internal'));
    t.deepEqual(
      names.filter((name) => !name.startsWith('customresourcedefinition.')),
      ['namespace/mesh-system'],
    );
  },
);
