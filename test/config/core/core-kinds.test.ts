import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

test('a Service keeps what the model reads and drops the rest', (t) => {
  const service = readObject(`
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
  uid: 1234
  annotations:
    a: b
    kubectl.kubernetes.io/last-applied-configuration: "{}"
spec:
  clusterIP: 10.0.0.1
  sessionAffinity: None
  ports:
    - {port: 80, targetPort: http, appProtocol: http2, invented: yes}
    - {name: dns, port: 80, protocol: UDP}
status: {loadBalancer: {ingress: [{ip: 1.2.3.4, ipMode: VIP}]}, conditions: []}
`);
  t.deepEqual(service.metadata.annotations, { a: 'b' });
  t.deepEqual(service.body, {
    spec: {
      clusterIP: '10.0.0.1',
      type: 'ClusterIP',
      ports: [
        { name: '', port: 80, protocol: 'TCP', appProtocol: 'http2', targetPort: 'http' },
        { name: 'dns', port: 80, protocol: 'UDP' },
      ],
      selector: {},
      publishNotReadyAddresses: false,
    },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  });
});

test('a Pod has its defaults, also without a status', (t) => {
  const pod = readObject('{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: x}]}}');
  t.deepEqual(pod.body, {
    spec: { serviceAccountName: 'default', hostNetwork: false, containers: [{ name: 'a', ports: [] }] },
    status: { podIPs: [], conditions: [] },
  });
});

test('of the containers of a Pod, names and ports are kept, and the image of the proxy, which may be an init container', (t) => {
  const app = '{name: a, image: x, ports: [{containerPort: 80}]}';
  const proxy = '{name: mesh-proxy, image: "proxy:1"}';
  const bodyOf = (spec: string) => readObject(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: ${spec}}`).body;
  const kept = { serviceAccountName: 'default', hostNetwork: false, proxyImage: 'proxy:1' };
  const status = { podIPs: [], conditions: [] };
  const ports = [{ containerPort: 80, protocol: 'TCP' }];
  t.deepEqual(bodyOf(`{containers: [${app}], initContainers: [{name: i, image: y}, ${proxy}]}`), {
    spec: { ...kept, containers: [{ name: 'a', ports }] },
    status,
  });
  const containers = [
    { name: 'mesh-proxy', ports: [] },
    { name: 'a', ports },
  ];
  t.deepEqual(bodyOf(`{containers: [${proxy}, ${app}]}`), { spec: { ...kept, containers }, status });
  t.deepEqual(bodyOf('{containers: [], initContainers: null}'), {
    spec: { serviceAccountName: 'default', hostNetwork: false, containers: [] },
    status,
  });
});

test('Nodes and Namespaces have no namespace', (t) => {
  const node = readObject('{apiVersion: v1, kind: Node, metadata: {name: n, namespace: x, labels: {zone: a}}}');
  t.is(node.metadata.namespace, '');
  t.deepEqual(node.body, { status: { addresses: [] } });
  t.deepEqual(readObject('{apiVersion: v1, kind: Namespace, metadata: {name: n}, spec: {finalizers: [x]}}').body, {});
});

test('Endpoints have separate lists of ready and not ready addresses', (t) => {
  const endpoints = readObject(
    '{apiVersion: v1, kind: Endpoints, metadata: {name: e}, subsets: [{addresses: [{ip: 10.0.0.1, targetRef: {kind: Pod, name: p, uid: x}}], ports: [{port: 80}]}]}',
  );
  t.deepEqual(endpoints.body, {
    subsets: [
      {
        addresses: [{ ip: '10.0.0.1', targetRef: { kind: 'Pod', name: 'p' } }],
        notReadyAddresses: [],
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
      },
    ],
  });
});

const refused: readonly (readonly [string, string])[] = [
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {clusterIP: web}}',
    'Service default/x: spec.clusterIP: "web": is not an IP address; use an IP address, None for a headless service, or leave it out',
  ],
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80, name: a}, {port: 80, name: b}]}}',
    'Service default/x: spec.ports[1].port: 80: is the TCP port of spec.ports[0] too; list each port once',
  ],
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80}, {port: 81}]}}',
    'Service default/x: spec.ports[1].name: "": is the name of spec.ports[0] too; give each port its own name',
  ],
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80, targetPort: [1]}]}}',
    'Service default/x: spec.ports[0].targetPort: a list of 1: has none of the allowed forms; give an integer or a string',
  ],
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {type: ExternalName}}',
    'Service default/x: spec.externalName: is missing; set it to the DNS name that the service refers to',
  ],
  [
    '{apiVersion: v1, kind: Service, metadata: {name: x}}',
    'Service default/x: spec: is missing; add it: The specification of the service',
  ],
  [
    '{apiVersion: v1, kind: Endpoints, metadata: {name: x}, subsets: [{addresses: [{ip: web}]}]}',
    'Endpoints default/x: subsets[0].addresses[0].ip: "web": is not an IP address; use for example 10.1.2.3 or fd00::1',
  ],
  [
    '{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: x}, addressType: IPv4, endpoints: [{addresses: ["fd00::1"]}]}',
    'EndpointSlice default/x: endpoints[0].addresses[0]: "fd00::1": is an IPv6 address in a slice of addressType IPv4; put it in a slice of addressType IPv6',
  ],
  [
    '{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: x}, addressType: FQDN, endpoints: [{addresses: ["a b"]}]}',
    'EndpointSlice default/x: endpoints[0].addresses[0]: "a b": is not a DNS name; use a full DNS name',
  ],
  [
    '{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: x}, addressType: IPv4, endpoints: [{addresses: []}]}',
    'EndpointSlice default/x: endpoints[0].addresses: []: has no address; give one, or remove the endpoint',
  ],
  [
    '{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {}, status: {podIP: web}}',
    'Pod default/x: status.podIP: "web": is not an IP address; use for example 10.1.2.3 or fd00::1',
  ],
];

for (const [text, expected] of refused) {
  test(`refused: ${expected.split(';')[0]}`, (t) => {
    t.deepEqual(refusalsOf(text), [expected]);
  });
}
