import fc from '../../support/property-testing.js';

/** A Kubernetes object as JSON, which is YAML too. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** New content of files; null removes one. */
export type FolderChange = Readonly<Record<string, readonly Manifest[] | null>>;

const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
const HOSTS = ['a.example.com', 'b.example.com', '*.example.com', 'web.shop.svc.cluster.local'];

const namespace = fc.constantFrom('shop', 'bank');
const name = fc.constantFrom('web', 'db');
const addresses = fc.uniqueArray(fc.constantFrom(...ADDRESSES), { maxLength: 3 });
const labels = fc.constantFrom({ app: 'web' }, { app: 'db' }, { app: 'web', tier: 'front' });
const exportTo = fc.constantFrom([], ['*'], ['.'], ['bank'], ['.', 'bank']);

const servicePorts = fc.constantFrom(
  [{ name: 'http', port: 80, targetPort: 8080 }],
  [{ name: 'tcp', port: 80, targetPort: 8080 }],
  [{ port: 80 }],
  [
    { name: 'http', port: 80, targetPort: 'named' },
    { name: 'grpc-api', port: 90 },
    { name: 'tcp-x', port: 3306 },
  ],
);

const service = fc
  .record({
    name,
    namespace,
    clusterIP: fc.constantFrom('10.96.0.1', '10.96.0.2', 'None'),
    selector: labels,
    ports: servicePorts,
    annotations: fc.constantFrom({}, { 'networking.mesh.internal/exportTo': '.' }),
  })
  .map(({ name, namespace, annotations, ...spec }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations },
    spec,
  }));

const endpoints = fc
  .record({ name, namespace, ready: addresses, notReady: addresses, pod: fc.boolean() })
  .map(({ name, namespace, ready, notReady, pod }) => {
    const list = (ips: readonly string[]) =>
      ips.map((ip) => (pod ? { ip, targetRef: { kind: 'Pod', name: 'p0', namespace } } : { ip, nodeName: 'n1' }));
    return {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace },
      subsets: [
        {
          addresses: list(ready),
          notReadyAddresses: list(notReady.filter((ip) => !ready.includes(ip))),
          ports: [
            { name: 'http', port: 8080 },
            { name: 'tcp', port: 8080 },
          ],
        },
      ],
    };
  });

const pod = fc
  .record({
    name: fc.constantFrom('p0', 'p1', 'p2'),
    namespace,
    labels,
    podIP: fc.constantFrom(...ADDRESSES),
    nodeName: fc.constantFrom('n1', 'n2'),
    serviceAccountName: fc.constantFrom('default', 'robot'),
    phase: fc.constantFrom('Running', 'Pending'),
  })
  .map(({ name, namespace, labels, podIP, nodeName, serviceAccountName, phase }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      nodeName,
      serviceAccountName,
      containers: [{ name: 'app', ports: [{ name: 'named', containerPort: 9090 }] }],
    },
    status: { phase, podIP },
  }));

const node = fc.record({ name: fc.constantFrom('n1', 'n2'), zone: fc.constantFrom('z1', 'z2') }).map(
  ({ name, zone }): Manifest => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      ...{ labels: { 'topology.kubernetes.io/region': 'r1', 'topology.kubernetes.io/zone': zone } },
    },
  }),
);

const serviceEntry = fc
  .record({
    name,
    namespace,
    hosts: fc.uniqueArray(fc.constantFrom(...HOSTS), { minLength: 1, maxLength: 2 }),
    resolution: fc.constantFrom('STATIC', 'DNS', 'NONE'),
    protocol: fc.constantFrom('HTTP', 'TCP', 'TLS'),
    addresses: fc.constantFrom([], ['10.97.0.1']),
    ips: addresses,
    selector: fc.option(labels, { nil: undefined }),
    exportTo,
  })
  .map(({ name, namespace, hosts, resolution, protocol, addresses, ips, selector, exportTo }) => {
    const many = hosts.length > 1 && protocol === 'TCP';
    const port = { number: protocol === 'TLS' ? 443 : 80, name: 'main', protocol: many ? 'HTTP' : protocol };
    const workloads = selector === undefined ? ips.map((address) => ({ address, ports: { main: 8080 } })) : [];
    const concreteHosts = hosts.filter((host) => !host.startsWith('*'));
    return {
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'ServiceEntry',
      metadata: { name, namespace },
      spec: {
        hosts:
          resolution === 'DNS' && concreteHosts.length === 0
            ? ['a.example.com']
            : resolution === 'DNS'
              ? concreteHosts
              : hosts,
        addresses,
        resolution,
        exportTo,
        location: 'MESH_INTERNAL',
        ports: [port],
        ...(selector === undefined || resolution !== 'STATIC'
          ? { endpoints: resolution === 'NONE' ? [] : workloads }
          : { workloadSelector: { labels: selector } }),
      },
    };
  });

const workloadEntry = fc
  .record({
    name,
    namespace,
    address: fc.constantFrom(...ADDRESSES),
    labels,
    serviceAccount: fc.constantFrom('', 'vm'),
  })
  .map(({ name, namespace, ...spec }) => ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'WorkloadEntry',
    metadata: { name, namespace },
    spec,
  }));

const policySpec = fc
  .record({ kind: fc.constantFrom('QuotaSpec', 'HTTPAPISpec'), name, namespace, charge: fc.constantFrom(1, 2) })
  .map(({ kind, name, namespace, charge }) => ({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name, namespace },
    spec:
      kind === 'QuotaSpec'
        ? { rules: [{ quotas: [{ quota: 'requests', charge }] }] }
        : { patterns: [{ httpMethod: 'GET', uriTemplate: `/v${charge}` }] },
  }));

const policyBinding = fc
  .record({
    kind: fc.constantFrom('QuotaSpecBinding', 'HTTPAPISpecBinding'),
    name,
    namespace,
    service: fc.constantFrom(
      { name: 'web' },
      { name: 'db', namespace: 'bank' },
      { service: '*' },
      { service: '*.shop.*' },
    ),
    spec: name,
  })
  .map(({ kind, name, namespace, service, spec }) => ({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name, namespace },
    spec: { services: [service], [kind === 'QuotaSpecBinding' ? 'quotaSpecs' : 'apiSpecs']: [{ name: spec }] },
  }));

/** A file with objects of some kinds, so that a change of the file is often a change of endpoints or pods alone. */
function fileOf(file: string, manifest: fc.Arbitrary<Manifest>): fc.Arbitrary<FolderChange> {
  return fc
    .option(fc.uniqueArray(manifest, { maxLength: 4, selector: keyOf }), { nil: null, freq: 8 })
    .map((manifests) => ({ [file]: manifests }));
}

/** One file gets new content, or goes. An object may be in two files. */
export const folderChange: fc.Arbitrary<FolderChange> = fc.oneof(
  { weight: 3, arbitrary: fileOf('services.yaml', service) },
  { weight: 4, arbitrary: fileOf('endpoints.yaml', endpoints) },
  { weight: 2, arbitrary: fileOf('sub/more-endpoints.json', endpoints) },
  { weight: 3, arbitrary: fileOf('pods.json', pod) },
  { weight: 1, arbitrary: fileOf('nodes.yaml', node) },
  { weight: 3, arbitrary: fileOf('sub/entries.yaml', serviceEntry) },
  { weight: 2, arbitrary: fileOf('workloads.yaml', workloadEntry) },
  { weight: 1, arbitrary: fileOf('specs.yaml', policySpec) },
  { weight: 3, arbitrary: fileOf('bindings.yaml', policyBinding) },
  { weight: 1, arbitrary: fileOf('mixed.yaml', fc.oneof<fc.Arbitrary<Manifest>[]>(service, serviceEntry, endpoints)) },
);

const policyServer = fc.constantFrom(
  '',
  'embedded',
  'embedded',
  'policy.example.com:9091',
  'web.shop.svc.cluster.local:90',
);

export const meshConfig: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    mixerCheckServer: policyServer,
    mixerReportServer: policyServer,
    disablePolicyChecks: fc.boolean(),
    enableClientSidePolicyCheck: fc.boolean(),
    disableMixerHttpReports: fc.boolean(),
    outboundTrafficPolicy: fc.constantFrom({ mode: 'ALLOW_ANY' }, { mode: 'REGISTRY_ONLY' }),
    accessLogFile: fc.constantFrom('', '/dev/stdout'),
    connectTimeout: fc.constantFrom('1s', '2s'),
    dnsRefreshRate: fc.constantFrom('5s', '7s'),
    protocolDetectionTimeout: fc.constantFrom('0s', '1s'),
    proxyHttpPort: fc.constantFrom(0, 15002),
    defaultServiceExportTo: fc.constantFrom(['*'], ['.']),
    trustDomain: fc.constantFrom('cluster.local', 'acme.io'),
    localityLbSetting: fc.constantFrom({ enabled: true }, { enabled: false }),
  },
  { requiredKeys: [] },
);

/** With policies in force, where it is about them. */
export const startMeshConfig: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.oneof(
  meshConfig,
  fc.constant({ mixerCheckServer: 'embedded', disablePolicyChecks: false, enableClientSidePolicyCheck: true }),
);

export const meshNetworks: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.constantFrom(
  {},
  {
    networks: {
      far: { endpoints: [{ fromCidr: '10.0.0.2/31' }], gateways: [{ address: '1.2.3.4', port: 15443 }] },
    },
  },
  {
    networks: {
      near: { endpoints: [{ fromCidr: '10.0.0.0/31' }], gateways: [{ address: '1.2.3.5', port: 15443 }] },
      far: {
        endpoints: [{ fromRegistry: 'Orchestrator' }],
        gateways: [{ registryServiceName: 'web.shop.svc.cluster.local', port: 80 }],
      },
    },
  },
);

function keyOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** The file's text. */
export function fileText(file: string, manifests: readonly Manifest[]): string {
  return file.endsWith('.json')
    ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests })
    : manifests.map((each) => JSON.stringify(each)).join('\n---\n');
}
