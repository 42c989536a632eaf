import fc from 'fast-check';

/** A Kubernetes object as JSON, which is YAML too. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Files of a folder; null for none of that name. */
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

const manifest: fc.Arbitrary<Manifest> = fc.oneof(
  { weight: 4, arbitrary: service },
  { weight: 4, arbitrary: endpoints },
  { weight: 3, arbitrary: pod },
  { weight: 1, arbitrary: node },
  { weight: 4, arbitrary: serviceEntry },
  { weight: 2, arbitrary: workloadEntry },
);

const FILES = ['a.yaml', 'b.yaml', 'sub/c.yaml', 'sub/d.json'];

/** Some files get new content, or go. No object is in two documents of a file; it may be in two files. */
export const folderChange: fc.Arbitrary<FolderChange> = fc.dictionary(
  fc.constantFrom(...FILES),
  fc.option(fc.uniqueArray(manifest, { maxLength: 5, selector: keyOf }), { nil: null, freq: 5 }),
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);

export const meshConfig: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
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
