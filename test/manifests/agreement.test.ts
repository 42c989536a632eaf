import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { load } from 'js-yaml';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { environmentVariables } from '../../src/cli/settings/environment-variables.js';
import { leavesRules } from '../../src/webhooks/certificates/webhook-configuration.js';
import { projectRoot } from '../counterparts/project-root.js';
import {
  allDocuments,
  argument,
  type Deployment,
  findDeployment,
  findDocument,
  readDocuments,
} from './support/read-documents.js';

const NAME = 'app.kubernetes.io/name';
const MESHD = findDeployment('meshd');
const POLICY = findDeployment('navigator-policy');

interface ServiceWithPorts {
  readonly spec: {
    readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  };
}

interface NetworkPolicy {
  readonly spec: {
    readonly ingress: readonly {
      readonly ports: readonly { readonly port: string }[];
      readonly from?: readonly object[];
    }[];
  };
}

const version = (): string =>
  (JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }).version;
const containerOf = ({ spec }: Deployment) => spec.template.spec.containers[0];
const portsOf = (deployment: Deployment): Readonly<Record<string, number>> =>
  Object.fromEntries(containerOf(deployment).ports.map(({ name, containerPort }) => [name, containerPort]));
const portOfAddress = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));
/** The mesh config of an installation without settings of users. */
const meshDefaults = (): unknown =>
  load(containerOf(MESHD).env.find(({ name }) => name === 'NAV_MESH_CONFIG_DEFAULTS')?.value ?? '');

test('the namespace comes first, then the CRDs, then what needs both', (t) => {
  const kinds = readDocuments('manifests').map(({ kind }) => kind);
  t.deepEqual(
    [...new Set(kinds)],
    [
      'Namespace',
      'CustomResourceDefinition',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ConfigMap',
      'Service',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'Deployment',
      'PodDisruptionBudget',
      'NetworkPolicy',
    ],
  );
});

test('every namespaced object names its namespace, so that the namespace of a kubeconfig does not matter', (t) => {
  const clusterScoped = [
    'Namespace',
    'CustomResourceDefinition',
    'ClusterRole',
    'ClusterRoleBinding',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
    'MutatingWebhookConfiguration',
  ];
  for (const { kind, metadata } of allDocuments()) {
    // The right to read one ConfigMap of the cluster's own.
    const isOfCluster = ['Role', 'RoleBinding'].includes(kind) && metadata.name === 'navigator-meshd';
    const expected = isOfCluster ? 'kube-system' : 'mesh-system';
    t.is(metadata.namespace, clusterScoped.includes(kind) ? undefined : expected, `${kind} ${metadata.name}`);
  }
});

test('every object except CRDs can be found and removed by its label', (t) => {
  for (const { kind, metadata } of allDocuments()) {
    if (kind === 'CustomResourceDefinition') continue;
    t.is(metadata.labels?.['app.kubernetes.io/part-of'], 'navigator', `${kind} ${metadata.name}`);
  }
});

for (const deployment of [MESHD, POLICY]) {
  const { name } = deployment.metadata;
  const { template, selector } = deployment.spec;

  test(`${name}: Deployment, Service, disruption budget and network policy select its pods`, (t) => {
    const labels = { [NAME]: name };
    t.is(template.metadata.labels[NAME], name);
    t.deepEqual(selector.matchLabels, labels);
    t.like(findDocument('Service', name), { spec: { selector: labels } });
    t.like(findDocument('PodDisruptionBudget', name), { spec: { selector: { matchLabels: labels } } });
    t.like(findDocument('NetworkPolicy', name), { spec: { podSelector: { matchLabels: labels } } });
    t.like(template.spec['topologySpreadConstraints'], [{ labelSelector: { matchLabels: labels } }]);
  });

  test(`${name}: ports of the Service and of the network policy are ports of the container, by name and number`, (t) => {
    const ports = portsOf(deployment);
    const services = allDocuments().filter(
      ({ kind, metadata }) => kind === 'Service' && metadata.labels?.[NAME] === name,
    );
    const open = services.flatMap((service) => (service as unknown as ServiceWithPorts).spec.ports);
    // Resolvers ask port 53, which the process cannot open without privileges.
    const expected = Object.entries(ports).map(([port, number]) => [port, /^dns/.test(port) ? 53 : number]);
    t.deepEqual(Object.fromEntries(open.map((each) => [each.name, each.port])), Object.fromEntries(expected));
    for (const each of open) t.is(each.targetPort, each.name);
    const policies = allDocuments().filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.labels?.[NAME] === name,
    );
    const rules = policies.flatMap((policy) => (policy as unknown as NetworkPolicy).spec.ingress);
    t.deepEqual(rules.flatMap((rule) => rule.ports.map(({ port }) => port)).sort(), Object.keys(ports).sort());
  });

  test(`${name}: the program listens at its ports and probes`, (t) => {
    const container = containerOf(deployment);
    const ports = portsOf(deployment);
    t.like(ports, {
      'http-monitoring': portOfAddress(argument(container, 'monitoringAddr')),
      'grpc-policy': portOfAddress(argument(container, 'policyAddr')),
    });
    t.like(container['readinessProbe'], { httpGet: { path: '/ready', port: 'http-monitoring' } });
    t.like(container['livenessProbe'], { httpGet: { path: '/version', port: 'http-monitoring' } });
    t.is(template.metadata.annotations['prometheus.io/port'], String(ports['http-monitoring']));
  });

  test(`${name}: image and labels have the version of package.json`, (t) => {
    t.is(containerOf(deployment).image, `navigator-discovery:${version()}`);
    t.is(template.metadata.labels['app.kubernetes.io/version'], version());
    t.is(deployment.metadata.labels?.['app.kubernetes.io/version'], version());
  });

  test(`${name}: its container has no privileges, requests resources, and ends in time`, (t) => {
    const container = containerOf(deployment);
    t.like(template.spec['securityContext'], { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    t.deepEqual(container['securityContext'], {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    t.deepEqual(
      Object.entries(container['resources'] as object).map(([key, value]) => [key, Object.keys(value)]),
      [
        ['requests', ['cpu', 'memory']],
        ['limits', ['memory']],
      ],
    );
    t.is(container['lifecycle'], undefined, 'the process drains by itself');
    const drainTimeoutSeconds = Number.parseInt(commonFlags.drainTimeoutMs.default, 10);
    t.true(Number(template.spec['terminationGracePeriodSeconds']) >= drainTimeoutSeconds + 15);
  });
}

test('the JavaScript heap may use most of the memory limit, and leaves a quarter for other memory', (t) => {
  for (const deployment of [MESHD, POLICY]) {
    const { env, resources } = containerOf(deployment);
    const heap = /^--max-old-space-size=(\d+)$/.exec(env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '')?.[1];
    const { limits } = resources as { limits: { memory: string } };
    const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(limits.memory) ?? [];
    const share = Number(heap) / (Number(amount) * (unit === 'Gi' ? 1024 : 1));
    t.true(share > 0.6 && share < 0.75, `${deployment.metadata.name}: ${share}`);
  }
});

/** The keys that docs/kubernetes.md gives them. */
const USER_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  mesh: ['mesh', 'meshNetworks'],
  'mesh-policy': ['policy'],
};

test('a ConfigMap of users provides every settings file of the programs', (t) => {
  const mounted = (deployment: Deployment): readonly string[] =>
    (JSON.stringify(volumeOf(deployment, 'config')).match(/"configMap":\{"name":"[^"]+","optional":true\}/g) ?? [])
      .map((found) => found.split('"')[5] ?? '')
      .flatMap((name) => (USER_SETTINGS[name] ?? []).map((file) => `/etc/mesh/config/${file}`));
  const read = (deployment: Deployment, ...names: string[]) =>
    names.map((name) => argument(containerOf(deployment), name));
  t.deepEqual(mounted(MESHD), read(MESHD, 'meshConfig', 'networksConfig', 'policyConfig'));
  t.deepEqual(mounted(POLICY), read(POLICY, 'policyConfig'));
  for (const deployment of [MESHD, POLICY]) {
    const mounts = containerOf(deployment)['volumeMounts'] as readonly { readonly name: string }[];
    t.deepEqual(
      mounts.filter(({ name }) => name === 'config'),
      [{ name: 'config', mountPath: '/etc/mesh/config', readOnly: true }] as readonly object[],
    );
    for (const { name } of mounts) t.truthy(volumeOf(deployment, name), name);
  }
});

function volumeOf(deployment: Deployment, name: string): object | undefined {
  const volumes = deployment.spec.template.spec.volumes as readonly { readonly name: string }[];
  return volumes.find((volume) => volume.name === name);
}

test('the mesh config directs proxies and policy servers to the secured port of the Service of meshd', (t) => {
  const mesh = meshDefaults() as { defaultConfig: { discoveryAddress: string } };
  const secured = `meshd.mesh-system.svc:${portsOf(MESHD)['tls-xds']}`;
  t.is(mesh.defaultConfig.discoveryAddress, secured);
  t.is(argument(containerOf(POLICY), 'discoveryAddress'), secured);
  t.is(portOfAddress(argument(containerOf(MESHD), 'secureGRPCAddr')), portOfAddress(secured));
});

test('meshd answers DNS of all namespaces over UDP and TCP, at port 53 of a Service of its own', (t) => {
  const ports = containerOf(MESHD).ports.filter(({ name }) => name.startsWith('dns')) as readonly object[];
  const listener = portOfAddress(environmentVariables.dnsAddr.default);
  t.deepEqual(ports, [
    { name: 'dns', containerPort: listener, protocol: 'UDP' },
    { name: 'dns-tcp', containerPort: listener, protocol: 'TCP' },
  ]);
  t.false(containerOf(MESHD).env.some(({ name }) => name === 'DNS_ADDR'));
  const { spec: service } = findDocument('Service', 'meshd-dns') as unknown as ServiceWithPorts;
  t.deepEqual(service.ports as readonly object[], [
    { name: 'dns', protocol: 'UDP', port: 53, targetPort: 'dns' },
    { name: 'dns-tcp', protocol: 'TCP', port: 53, targetPort: 'dns-tcp' },
  ]);
  const { spec } = findDocument('NetworkPolicy', 'meshd') as unknown as NetworkPolicy;
  t.deepEqual(spec.ingress.find(({ ports: open }) => open.some(({ port }) => port === 'dns')) as object, {
    from: [{ namespaceSelector: {} }],
    ports: [
      { protocol: 'UDP', port: 'dns' },
      { protocol: 'TCP', port: 'dns-tcp' },
    ],
  });
});

test('plaintext xDS is closed: meshd does not listen there, and no port leads there', (t) => {
  t.is(argument(containerOf(MESHD), 'grpcAddr'), '');
  t.false(JSON.stringify([MESHD, findDocument('Service', 'meshd')]).includes('15010'));
});

test('policy servers authenticate with a token for the audience of meshd, and verify its certificate', (t) => {
  t.is(argument(containerOf(POLICY), 'discoveryRootCert'), '/var/run/secrets/mesh/root-cert.pem');
  t.is(argument(containerOf(POLICY), 'discoveryTokenFile'), '/var/run/secrets/tokens/mesh-token');
  t.like(volumeOf(POLICY, 'roots'), { configMap: { name: 'mesh-ca-root-cert' } });
  t.like(volumeOf(POLICY, 'token'), {
    projected: { sources: [{ serviceAccountToken: { path: 'mesh-token', audience: 'mesh-ca' } }] },
  });
});

test('injected and labelled namespaces, and their own, can reach policy servers', (t) => {
  for (const name of ['meshd', 'navigator-policy']) {
    const { spec } = findDocument('NetworkPolicy', name) as unknown as NetworkPolicy;
    const from = spec.ingress.find(({ ports }) => ports.some(({ port }) => port === 'grpc-policy'))?.from;
    t.deepEqual(from, [
      { podSelector: {} },
      { namespaceSelector: { matchLabels: { 'mesh-injection': 'enabled' } } },
      { namespaceSelector: { matchExpressions: [{ key: 'mesh.internal/rev', operator: 'Exists' }] } },
      { namespaceSelector: { matchLabels: { 'navigator/policy': 'true' } } },
    ]);
  }
});

test('kubectl apply -f manifests/ writes no settings of users', (t) => {
  const ours = allDocuments().flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : []));
  t.deepEqual(ours, ['mesh-sidecar-injector-defaults']);
  for (const name of ['mesh', 'mesh-policy']) t.true(USER_SETTINGS[name] !== undefined && !ours.includes(name), name);
  t.like(volumeOf(MESHD, 'injection'), { configMap: { name: 'mesh-sidecar-injector', optional: true } });
  t.like(volumeOf(MESHD, 'injection-defaults'), { configMap: { name: ours[0], optional: true } });
});

test('the manifests do not set the fields of webhook configurations that meshd writes', (t) => {
  const validation = findDocument('ValidatingWebhookConfiguration', 'meshd-mesh-system');
  const injection = findDocument('MutatingWebhookConfiguration', 'mesh-sidecar-injector');
  const [validate] = validation['webhooks'] as readonly [{ readonly clientConfig: object }];
  const [inject] = injection['webhooks'] as readonly [{ readonly clientConfig: object }];
  t.true(leavesRules(validation, 'mesh.internal'));
  for (const field of ['rules', 'failurePolicy']) t.false(field in validate, field);
  for (const { clientConfig } of [validate, inject]) t.deepEqual(Object.keys(clientConfig), ['service']);
});

test('README.md has the address of the Service of the policy servers', (t) => {
  const readme = readFileSync(join(projectRoot(), 'manifests/README.md'), 'utf8');
  const addresses = [...readme.matchAll(/mixer(?:Check|Report)Server: (\S+)/g)].map(([, address]) => address);
  const address = `navigator-policy.mesh-system.svc.cluster.local:${portsOf(POLICY)['grpc-policy']}`;
  t.deepEqual(addresses, [address, address]);
});

test('the shipped mesh config turns checks and reports on', (t) => {
  t.like(meshDefaults(), {
    mixerCheckServer: 'embedded',
    mixerReportServer: 'embedded',
    disablePolicyChecks: false,
    disableMixerHttpReports: false,
  });
});

test('pages with configuration are reachable only from within the pod', (t) => {
  t.true(argument(containerOf(MESHD), 'httpAddr').startsWith('127.0.0.1:'));
});

test('the installation has one replica of the policy server that counts quotas, and none is added', (t) => {
  for (const { spec } of [MESHD, POLICY]) t.is(spec.replicas, undefined, 'Kubernetes makes one, and an apply keeps it');
  t.false(allDocuments().some(({ kind }) => kind === 'HorizontalPodAutoscaler'));
});

test('the roles are bound to the account of meshd, and the policy servers have none of its rights', (t) => {
  const subjects = [
    { kind: 'ServiceAccount', name: MESHD.spec.template.spec.serviceAccountName, namespace: 'mesh-system' },
  ];
  const bound = (kind: string, roleKind: string, name: string) =>
    t.like(findDocument(kind, name), { subjects, roleRef: { kind: roleKind, name } });
  bound('ClusterRoleBinding', 'ClusterRole', 'navigator-meshd');
  bound('RoleBinding', 'Role', 'meshd');
  t.like(findDocument('ServiceAccount', 'meshd'), { automountServiceAccountToken: false });
  t.true(MESHD.spec.template.spec['automountServiceAccountToken']);
  t.false(POLICY.spec.template.spec['automountServiceAccountToken']);
});
