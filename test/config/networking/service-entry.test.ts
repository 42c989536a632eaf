import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function entry(spec: string): string {
  return `{apiVersion: networking.mesh.internal/v1beta1, kind: ServiceEntry, metadata: {name: e}, spec: ${spec}}`;
}

const HTTP = '{number: 80, name: http, protocol: HTTP}';
const TCP = '{number: 90, name: tcp, protocol: TCP}';

const accepted: readonly (readonly [string, string])[] = [
  ['a wildcard host without resolution', '{hosts: ["*.example.com"]}'],
  ['CIDR addresses with NONE', `{hosts: [a.b], addresses: [10.0.0.0/8, "fd00::/8"], ports: [${TCP}]}`],
  [
    'static addresses',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}], endpoints: [{address: 1.2.3.4}, {address: "fd00::1"}]}`,
  ],
  ['a unix socket', `{hosts: [a.b], resolution: STATIC, ports: [${TCP}], endpoints: [{address: "unix:///run/x"}]}`],
  ['DNS of its hosts', `{hosts: [a.b, c.d.], resolution: DNS, ports: [${HTTP}]}`],
  [
    'DNS of endpoints for a wildcard host',
    `{hosts: ["*.b"], resolution: DNS, ports: [${HTTP}], endpoints: [{address: x.y}]}`,
  ],
  ['a selector', `{hosts: [a.b], resolution: STATIC, ports: [${TCP}], workloadSelector: {labels: {app: x}}}`],
  ['several TCP hosts without resolution', `{hosts: [a.b, c.d], ports: [${TCP}]}`],
  [
    'protocols in any case, or none',
    '{hosts: [a.b], ports: [{number: 1, name: a, protocol: gRPC-Web}, {number: 2, name: b}]}',
  ],
  [
    'endpoint ports by name',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}], endpoints: [{address: 1.2.3.4, ports: {http: 8080}}]}`,
  ],
  ['export to named namespaces', '{hosts: [a.b], exportTo: [., shop]}'],
];

for (const [what, spec] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(entry(spec)), []);
  });
}

const refused: readonly (readonly [string, string, string])[] = [
  ['no hosts', '{}', 'spec.hosts: is missing'],
  ['an empty list of hosts', '{hosts: []}', 'spec.hosts: []: has too few items; give at least 1'],
  ['the host *', '{hosts: ["*"]}', 'spec.hosts[0]: "*": matches every host'],
  ['a wildcard inside', '{hosts: [a.*.b]}', 'spec.hosts[0]: "a.*.b": is not a host name'],
  ['a host that is an address', '{hosts: [1.2.3.4]}', 'spec.hosts[0]: "1.2.3.4": is not a host name'],
  [
    'a wildcard to look up',
    '{hosts: ["*.b"], resolution: DNS}',
    'spec.hosts[0]: "*.b": is a wildcard, which resolution DNS',
  ],
  [
    'TCP hosts that cannot be told apart',
    `{hosts: [a.b, c.d], resolution: DNS, ports: [${HTTP}, ${TCP}]}`,
    'spec.hosts: a list of 2: cannot be told apart',
  ],
  [
    'a name as address',
    '{hosts: [a.b], addresses: [x.y]}',
    'spec.addresses[0]: "x.y": is neither an IP address nor a CIDR',
  ],
  ['an address out of range', '{hosts: [a.b], addresses: [1.2.3.256]}', 'spec.addresses[0]: "1.2.3.256": is neither'],
  [
    'a CIDR with DNS',
    '{hosts: [a.b], addresses: [10.0.0.0/8], resolution: DNS}',
    'spec.addresses[0]: "10.0.0.0/8": is a CIDR range',
  ],
  [
    'a port name twice',
    `{hosts: [a.b], ports: [${HTTP}, {number: 81, name: http}]}`,
    'spec.ports[1].name: "http": is the name of ports[0] too',
  ],
  [
    'a port number twice',
    `{hosts: [a.b], ports: [${HTTP}, {number: 80, name: b}]}`,
    'spec.ports[1].number: 80: is the number of ports[0] too',
  ],
  ['a port without name', '{hosts: [a.b], ports: [{number: 80}]}', 'spec.ports[0].name: is missing'],
  [
    'port 0',
    '{hosts: [a.b], ports: [{number: 0, name: a}]}',
    'spec.ports[0].number: 0: is out of range; use 1 to 65535',
  ],
  [
    'a port that is a text',
    '{hosts: [a.b], ports: [{number: "80", name: a}]}',
    'spec.ports[0].number: "80": is a string, not an integer; give an integer',
  ],
  [
    'an unknown protocol',
    '{hosts: [a.b], ports: [{number: 80, name: a, protocol: QUIC}]}',
    'spec.ports[0].protocol: "QUIC": is not a known protocol',
  ],
  [
    'selector and endpoints',
    '{hosts: [a.b], resolution: STATIC, endpoints: [{address: 1.2.3.4}], workloadSelector: {labels: {a: b}}}',
    'spec.workloadSelector: is set together with endpoints',
  ],
  [
    'a wildcard in a selector',
    '{hosts: [a.b], workloadSelector: {labels: {a: "*"}}}',
    'spec.workloadSelector.labels.a: "*": is not a valid label value',
  ],
  [
    'endpoints with NONE',
    '{hosts: [a.b], endpoints: [{address: 1.2.3.4}]}',
    'spec.endpoints: a list of 1: are set with resolution NONE',
  ],
  [
    'a name with STATIC',
    '{hosts: [a.b], resolution: STATIC, endpoints: [{address: x.y}]}',
    'spec.endpoints[0].address: "x.y": is a name, which resolution STATIC',
  ],
  [
    'a socket with DNS',
    `{hosts: [a.b], resolution: DNS, ports: [${HTTP}], endpoints: [{address: "unix:///x"}]}`,
    'spec.endpoints[0].address: "unix:///x": is a unix socket',
  ],
  [
    'a socket with two ports',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}, ${TCP}], endpoints: [{address: "unix:///x"}]}`,
    'spec.ports: a list of 2: must be exactly one',
  ],
  [
    'a socket with a ports map',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}], endpoints: [{address: "unix:///x", ports: {http: 1}}]}`,
    'spec.endpoints[0].ports: a mapping: is set for a unix socket',
  ],
  [
    'a relative socket',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}], endpoints: [{address: "unix://x"}]}`,
    'spec.endpoints[0].address: "unix://x": is not an address',
  ],
  [
    'an endpoint port that the service has not',
    `{hosts: [a.b], resolution: STATIC, ports: [${HTTP}], endpoints: [{address: 1.2.3.4, ports: {web: 1}}]}`,
    'spec.endpoints[0].ports.web: 1: names no port of the service; use one of http',
  ],
  [
    'an endpoint without address',
    '{hosts: [a.b], resolution: STATIC, endpoints: [{}]}',
    'spec.endpoints[0].address: is missing',
  ],
  [
    'an unknown endpoint field',
    '{hosts: [a.b], resolution: STATIC, endpoints: [{address: 1.2.3.4, adress: x}]}',
    'spec.endpoints[0].adress: "x": is not a known field; did you mean address?',
  ],
  [
    '* beside namespaces',
    '{hosts: [a.b], exportTo: ["*", shop]}',
    'spec.exportTo: a list of 2: names "*" together with',
  ],
  ['a namespace twice', '{hosts: [a.b], exportTo: [shop, shop]}', 'spec.exportTo[1]: "shop": is listed twice'],
  ['an invalid namespace', '{hosts: [a.b], exportTo: ["a/b"]}', 'spec.exportTo[0]: "a/b": is not a namespace'],
  ['an empty subject name', '{hosts: [a.b], subjectAltNames: [""]}', 'spec.subjectAltNames[0]: "": is empty'],
];

for (const [what, spec, expected] of refused) {
  test(`${what}: refused with field, value and remedy`, (t) => {
    const refusals = refusalsOf(entry(spec));
    t.is(refusals.length, 1, refusals.join('\n'));
    t.true(refusals[0]?.startsWith(`ServiceEntry default/e: ${expected}`), refusals[0]);
    t.regex(refusals[0] ?? '', /; .+/);
  });
}

test('a WorkloadEntry has an address, labels and a locality', (t) => {
  const workload = (spec: string): string =>
    `{apiVersion: networking.mesh.internal/v1alpha3, kind: WorkloadEntry, metadata: {name: w}, spec: ${spec}}`;
  t.deepEqual(readObject(workload('{address: 10.0.0.1, labels: {app: x}, weight: 3, serviceAccount: sa}')).body, {
    address: '10.0.0.1',
    ports: {},
    labels: { app: 'x' },
    network: '',
    locality: '',
    weight: 3,
    serviceAccount: 'sa',
  });
  t.deepEqual(
    refusalsOf(workload('{address: "a b", locality: a/b/c/d, serviceAccount: ns/sa, ports: {"x y": 1}, weight: -1}')),
    ['WorkloadEntry default/w: spec.weight: -1: is out of range; use 0 to 4294967295'],
  );
  t.deepEqual(
    refusalsOf(workload('{address: "a b", locality: a/b/c/d, serviceAccount: ns/sa, ports: {"x y": 1}}')).map(
      (line) => line.split(': ')[1],
    ),
    ['spec.address', 'spec.ports["x y"]', 'spec.locality', 'spec.serviceAccount'],
  );
});
