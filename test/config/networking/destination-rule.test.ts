import test from 'ava';
import type { DestinationRuleSpec } from '../../../src/config/networking/destination-rule.js';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function rule(spec: string): string {
  return `{apiVersion: networking.mesh.internal/v1beta1, kind: DestinationRule, metadata: {name: d}, spec: ${spec}}`;
}

const policy = (fields: string) => `{host: web, trafficPolicy: ${fields}}`;
const balancer = (fields: string) => policy(`{loadBalancer: ${fields}}`);
const tls = (fields: string) => policy(`{tls: ${fields}}`);

const accepted: readonly (readonly [string, string])[] = [
  ['a host alone', '{host: web}'],
  ['a host of another namespace', '{host: web.shop.svc.cluster.local}'],
  ['a pattern', '{host: "*.example.com"}'],
  ['every host', '{host: "*"}'],
  ['an empty outlier detection, which has the defaults', policy('{outlierDetection: {}}')],
  ['limits of 0, which are none', policy('{connectionPool: {tcp: {maxConnections: 0}}}')],
  ['a session cookie', balancer('{consistentHash: {httpCookie: {name: user, ttl: 0s}}}')],
  ['a header of HTTP/2', balancer('{consistentHash: {httpHeaderName: ":authority"}}')],
  ['localities in all forms', distribute('{from: "*", to: {a: 10, a/b: 20, a/b/c: 30, a/*: 20, "*": 20}}')],
  ['a secret', tls('{mode: MUTUAL, credentialName: web-certificate}')],
  ['names without roots in mutual TLS of the mesh', tls('{mode: MESH_MUTUAL, subjectAltNames: [x], sni: y}')],
  ['DISABLE, whatever else is set', tls('{mode: DISABLE, sni: x}')],
  ['a subset without labels', '{host: web, subsets: [{name: all}]}'],
  ['16 subsets of a pattern', `{host: "*", subsets: [${subsets(16)}]}`],
];

for (const [what, spec] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(rule(spec)), []);
  });
}

function distribute(item: string): string {
  return balancer(`{localityLbSetting: {distribute: [${item}]}}`);
}

function failover(item: string): string {
  return balancer(`{localityLbSetting: {failover: [${item}]}}`);
}

function subsets(count: number): string {
  return Array.from({ length: count }, (_, at) => `{name: s${at}}`).join();
}

const refused: readonly (readonly [string, string, string])[] = [
  ['no host', '{}', 'spec.host: is missing'],
  ['a host that is none', '{host: "a b"}', 'spec.host: "a b": is not a host; use a name of a Service'],
  ['a pattern within a host', '{host: "a.*.com"}', 'spec.host: "a.*.com": is not a host'],
  ['an empty policy', policy('{}'), 'spec.trafficPolicy: {}: has too few fields; give at least 1 of loadBalancer,'],
  ['an empty connection pool', policy('{connectionPool: {}}'), 'spec.trafficPolicy.connectionPool: {}: has too few'],
  [
    'a port without a policy',
    policy('{portLevelSettings: [{port: {number: 80}}]}'),
    'spec.trafficPolicy.portLevelSettings[0]: 80: sets nothing for its port; set loadBalancer,',
  ],
  [
    'a port twice',
    policy(
      `{portLevelSettings: [${'{port: {number: 80}, tls: {mode: DISABLE}}, {port: {number: 80}, tls: {mode: DISABLE}}'}]}`,
    ),
    'spec.trafficPolicy.portLevelSettings[1].port.number: 80: is the port of portLevelSettings[0] too; list each',
  ],
  [
    'an unknown load balancer',
    balancer('{simple: FASTEST}'),
    'spec.trafficPolicy.loadBalancer.simple: "FASTEST": is not one of',
  ],
  [
    'two load balancers',
    balancer('{simple: RANDOM, consistentHash: {useSourceIp: true}}'),
    'spec.trafficPolicy.loadBalancer: sets simple and consistentHash together; keep one of them',
  ],
  [
    'a hash of nothing',
    balancer('{consistentHash: {minimumRingSize: 5}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash: says nothing to hash; set exactly one of httpHeaderName,',
  ],
  [
    'a hash of no source',
    balancer('{consistentHash: {useSourceIp: false}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash: says nothing to hash',
  ],
  [
    'two hashes',
    balancer('{consistentHash: {useSourceIp: true, httpHeaderName: x}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash: sets httpHeaderName and useSourceIp together; set exactly one',
  ],
  [
    'a header that is none',
    balancer('{consistentHash: {httpHeaderName: "a b"}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash.httpHeaderName: "a b": is not the name of a header',
  ],
  [
    'a parameter that is none',
    balancer('{consistentHash: {httpQueryParameterName: "a b"}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash.httpQueryParameterName: "a b": is not the name of a query parameter',
  ],
  [
    'a cookie without lifetime',
    balancer('{consistentHash: {httpCookie: {name: user}}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash.httpCookie.ttl: is missing',
  ],
  [
    'a cookie with a path that ends it',
    balancer('{consistentHash: {httpCookie: {name: "a=b", path: "/;x", ttl: 5s}}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash.httpCookie.path: "/;x": is not a path of a cookie',
  ],
  [
    'a ring that fills the memory',
    balancer('{consistentHash: {useSourceIp: true, minimumRingSize: 8000000}}'),
    'spec.trafficPolicy.loadBalancer.consistentHash.minimumRingSize: 8000000: is out of range; use 0 to 65536',
  ],
  [
    'weights that are no hundred percent',
    distribute('{from: a, to: {a: 50, b: 49}}'),
    'spec.trafficPolicy.loadBalancer.localityLbSetting.distribute[0].to: a mapping: has weights that sum to 99; give',
  ],
  [
    'a locality that is none',
    distribute('{from: a/*/b, to: {a: 100}}'),
    'spec.trafficPolicy.loadBalancer.localityLbSetting.distribute[0].from: "a/*/b": is not a locality; write region/',
  ],
  [
    'distribution and failover',
    balancer('{localityLbSetting: {distribute: [], failover: []}}'),
    'spec.trafficPolicy.loadBalancer.localityLbSetting: sets distribute and failover together; keep one of them',
  ],
  [
    'failover of a zone',
    failover('{from: a/b, to: c}'),
    'spec.trafficPolicy.loadBalancer.localityLbSetting.failover[0].from: "a/b": is not a region; name a region',
  ],
  [
    'failover to the same region',
    failover('{from: a, to: a}'),
    'spec.trafficPolicy.loadBalancer.localityLbSetting.failover[0].to: "a": is the same region as from',
  ],
  [
    'a time to connect of nothing',
    policy('{connectionPool: {tcp: {connectTimeout: 0s}}}'),
    'spec.trafficPolicy.connectionPool.tcp.connectTimeout: "0s": is shorter than 1ms',
  ],
  [
    'a probe after a time that the kernel refuses',
    policy('{connectionPool: {tcp: {tcpKeepalive: {time: 10h}}}}'),
    'spec.trafficPolicy.connectionPool.tcp.tcpKeepalive.time: "10h": is longer than 32767s',
  ],
  [
    'more probes than the kernel takes',
    policy('{connectionPool: {tcp: {tcpKeepalive: {probes: 128}}}}'),
    'spec.trafficPolicy.connectionPool.tcp.tcpKeepalive.probes: 128: is out of range; use 0 to 127',
  ],
  [
    'a share beyond a hundred',
    policy('{outlierDetection: {maxEjectionPercent: 101}}'),
    'spec.trafficPolicy.outlierDetection.maxEjectionPercent: 101: is out of range; use 0 to 100',
  ],
  ['TLS without a mode', tls('{sni: x}'), 'spec.trafficPolicy.tls.mode: is missing'],
  [
    'mutual TLS without a key',
    tls('{mode: MUTUAL, clientCertificate: /a}'),
    'spec.trafficPolicy.tls.privateKey: is missing with mode MUTUAL; set clientCertificate and privateKey, or',
  ],
  [
    'a secret and files',
    tls('{mode: SIMPLE, credentialName: a, caCertificates: /b}'),
    'spec.trafficPolicy.tls.credentialName: "a": is set together with caCertificates; keep the secret, or the files',
  ],
  [
    'a credential with the name of its roots',
    tls('{mode: SIMPLE, credentialName: a-cacert}'),
    'spec.trafficPolicy.tls.credentialName: "a-cacert": ends with -cacert',
  ],
  [
    'a certificate that is not presented',
    tls('{mode: SIMPLE, clientCertificate: /a, caCertificates: /b}'),
    'spec.trafficPolicy.tls.clientCertificate: "/a": is set with mode SIMPLE, which presents no client certificate',
  ],
  [
    'files in mutual TLS of the mesh',
    tls('{mode: MESH_MUTUAL, caCertificates: /b}'),
    'spec.trafficPolicy.tls.caCertificates: "/b": is set with mode MESH_MUTUAL',
  ],
  [
    'names without roots',
    tls('{mode: SIMPLE, subjectAltNames: [a]}'),
    'spec.trafficPolicy.tls.subjectAltNames: a list of 1: are set without caCertificates',
  ],
  [
    'a relative path',
    tls('{mode: SIMPLE, caCertificates: ca.pem}'),
    'spec.trafficPolicy.tls.caCertificates: "ca.pem": is not an absolute path; write it like /etc/certs/ca.pem',
  ],
  [
    'a subset twice',
    '{host: web, subsets: [{name: a}, {name: a}]}',
    'spec.subsets[1].name: "a": is the name of subsets[0] too; give each subset its own name',
  ],
  [
    'a subset whose name would break the name of its cluster',
    '{host: web, subsets: [{name: "a|b"}]}',
    'spec.subsets[0].name: "a|b": is not a valid name of a subset',
  ],
  [
    'too many subsets of a pattern',
    `{host: "*.com", subsets: [${subsets(17)}]}`,
    'spec.subsets: a list of 17: are more than 16, the most for a host with "*"',
  ],
  [
    'a mistake in the policy of a subset',
    '{host: web, subsets: [{name: a, trafficPolicy: {tls: {mode: MUTUAL, privateKey: /a}}}]}',
    'spec.subsets[0].trafficPolicy.tls.clientCertificate: is missing with mode MUTUAL',
  ],
  [
    'a namespace together with all',
    '{host: web, exportTo: ["*", a]}',
    'spec.exportTo: a list of 2: names "*" together with other namespaces',
  ],
];

for (const [what, spec, refusal] of refused) {
  test(`${what} is rejected`, (t) => {
    const refusals = refusalsOf(rule(spec));
    t.true(
      refusals.some((each) => each.startsWith(`DestinationRule default/d: ${refusal}`)),
      JSON.stringify(refusals),
    );
  });
}

test('defaults are in the object that the model reads', (t) => {
  const { body } = readObject(rule(balancer('{consistentHash: {useSourceIp: true}}')));
  t.deepEqual(body as DestinationRuleSpec, {
    host: 'web',
    trafficPolicy: { loadBalancer: { consistentHash: { useSourceIp: true, minimumRingSize: 1024 } } },
    exportTo: [],
  });
});
