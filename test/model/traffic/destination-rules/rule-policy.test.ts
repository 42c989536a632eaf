import test from 'ava';
import type { MeshConfig } from '../../../../src/config/mesh/mesh-config.js';
import type { Service } from '../../../../src/model/service.js';
import type { ClusterPolicy } from '../../../../src/model/traffic/cluster-policy.js';
import { createDestinationRuleIndexer } from '../../../../src/model/traffic/destination-rules/destination-rules.js';
import { createTrafficTranslator, type ServiceCluster } from '../../../../src/model/traffic/mesh-traffic.js';
import { buildPort, buildService, MESH } from '../../../generators/context-builder.js';
import { destinationRule, tableOf } from './destination-rule.js';

const SERVICE = buildService({ ports: [buildPort(), buildPort({ number: 81, name: 'tcp', protocol: 'tcp' })] });

interface Options {
  readonly service?: Service;
  readonly mesh?: Partial<MeshConfig>;
}

function clustersWith(spec: object, { service = SERVICE, mesh = {} }: Options = {}): readonly ServiceCluster[] {
  const whole = { ...MESH, ...mesh };
  const rule = destinationRule('default/rule', { host: service.hostname, ...spec });
  const rules = createDestinationRuleIndexer()({ objects: tableOf([rule]), mesh: whole, domain: 'cluster.local' });
  return createTrafficTranslator()(whole, rules).ofNamespace('default').clustersOf(service);
}

function policyWith(trafficPolicy: object, options?: Options): ClusterPolicy {
  const [first] = clustersWith({ trafficPolicy }, options);
  if (first === undefined) throw new Error('no cluster');
  return first.policy;
}

const DEFAULTS: ClusterPolicy = {
  loadBalancer: { type: 'leastRequest' },
  connections: { connectTimeoutMs: 10_000, upgradesToHttp2: false },
  tls: { mode: 'automatic', subjectAltNames: [] },
};

test('a rule without a policy changes nothing', (t) => {
  t.deepEqual(
    clustersWith({}).map(({ policy }) => policy),
    [DEFAULTS, DEFAULTS],
  );
});

for (const [simple, type] of Object.entries({
  ROUND_ROBIN: 'roundRobin',
  LEAST_CONN: 'leastRequest',
  RANDOM: 'random',
  PASSTHROUGH: 'originalDestination',
})) {
  test(`the load balancer ${simple} is ${type}`, (t) => {
    t.deepEqual(policyWith({ loadBalancer: { simple } }), { ...DEFAULTS, loadBalancer: { type } } as ClusterPolicy);
  });
}

test('consistent hashing has one key and a ring of at least 1024 entries', (t) => {
  const hash = (consistentHash: object) => policyWith({ loadBalancer: { consistentHash } }).loadBalancer;
  const minimumRingSize = 1024;
  const type = 'consistentHash';
  t.deepEqual(hash({ httpHeaderName: 'x-user', minimumRingSize: 7 }), {
    type,
    key: { type: 'header', name: 'x-user' },
    minimumRingSize: 7,
  });
  const query = { type: 'queryParameter', name: 'user' } as const;
  t.deepEqual(hash({ httpQueryParameterName: 'user' }), { type, key: query, minimumRingSize });
  t.deepEqual(hash({ useSourceIp: true, minimumRingSize: 0 }), {
    type,
    key: { type: 'sourceAddress' },
    minimumRingSize,
  });
  t.deepEqual(hash({ httpCookie: { name: 'user', path: '/a', ttl: '0s' } }), {
    type,
    key: { type: 'cookie', name: 'user', path: '/a', lifetimeMs: 0 },
    minimumRingSize,
  });
});

test('limits of connections are those of the rule, and 0 is no limit', (t) => {
  const tcp = {
    maxConnections: 3,
    connectTimeout: '250ms',
    tcpKeepalive: { probes: 4, time: '1h', interval: '75s' },
  };
  const http = {
    http1MaxPendingRequests: 1,
    http2MaxRequests: 2,
    maxRequestsPerConnection: 3,
    maxRetries: 4,
    idleTimeout: '5m',
    h2UpgradePolicy: 'UPGRADE',
  };
  t.deepEqual(policyWith({ connectionPool: { tcp, http } }).connections, {
    connectTimeoutMs: 250,
    maxConnections: 3,
    keepalive: { probes: 4, idleMs: 3_600_000, intervalMs: 75_000 },
    maxPendingRequests: 1,
    maxRequests: 2,
    maxRequestsPerConnection: 3,
    maxRetries: 4,
    idleTimeoutMs: 300_000,
    upgradesToHttp2: true,
  });
  const none = { tcp: { maxConnections: 0, tcpKeepalive: { probes: 0 } }, http: { http2MaxRequests: 0 } };
  t.deepEqual(policyWith({ connectionPool: none }).connections, { ...DEFAULTS.connections, keepalive: {} });
});

test('HTTP ports are upgraded as the rule says, or else as the mesh config says', (t) => {
  const upgrades = (h2UpgradePolicy: string, ofMesh: MeshConfig['h2UpgradePolicy']) =>
    clustersWith(
      { trafficPolicy: { connectionPool: { http: { h2UpgradePolicy } } } },
      { mesh: { h2UpgradePolicy: ofMesh } },
    ).map(({ policy }) => policy.connections.upgradesToHttp2);
  t.deepEqual(upgrades('UPGRADE', 'DO_NOT_UPGRADE'), [true, false]);
  t.deepEqual(upgrades('DO_NOT_UPGRADE', 'UPGRADE'), [false, false]);
  t.deepEqual(upgrades('DEFAULT', 'UPGRADE'), [true, false]);
  t.deepEqual(upgrades('DEFAULT', 'DO_NOT_UPGRADE'), [false, false]);
});

test('outlier detection is that of the rule, and brings the failover of the mesh config', (t) => {
  const outliers = (outlierDetection: object) => policyWith({ outlierDetection }).outliers;
  const everything = {
    consecutive5xxErrors: 0,
    consecutiveGatewayErrors: 3,
    interval: '1s',
    baseEjectionTime: '2s',
    maxEjectionPercent: 50,
    minHealthPercent: 10,
  };
  t.deepEqual(outliers(everything), {
    consecutive5xxErrors: 0,
    consecutiveGatewayErrors: 3,
    intervalMs: 1000,
    baseEjectionMs: 2000,
    maxEjectionPercent: 50,
    minHealthyPercent: 10,
  });
  t.deepEqual(outliers({ consecutiveErrors: 4 }), { consecutiveGatewayErrors: 4 });
  t.deepEqual(outliers({ consecutiveErrors: 4, consecutiveGatewayErrors: 2 }), { consecutiveGatewayErrors: 2 });
  t.deepEqual(outliers({ maxEjectionPercent: 0, minHealthPercent: 0 }), {});
  t.deepEqual(policyWith({ outlierDetection: {} }).localities, { type: 'failover', rules: [] });
});

test('localities follow the rule, else the mesh config', (t) => {
  const distribute = [{ from: 'north/*', to: { 'north/*': 80, 'south/*': 20 } }];
  const failover = [{ from: 'north', to: 'south' }];
  const spread = { type: 'distribute', rules: distribute } as const;
  const of = (localityLbSetting: object, mesh = {}, others = {}) =>
    policyWith({ loadBalancer: { localityLbSetting }, ...others }, { mesh }).localities;
  const ofMesh = { localityLb: { enabled: true, distribute } };
  t.deepEqual(of({ distribute }), spread);
  t.is(of({ failover }), undefined, 'failover needs outlier detection');
  t.deepEqual(of({ failover }, {}, { outlierDetection: {} }), { type: 'failover', rules: failover });
  t.is(of({ enabled: false }, ofMesh, { outlierDetection: {} }), undefined);
  t.deepEqual(policyWith({ loadBalancer: { simple: 'RANDOM' } }, { mesh: ofMesh }).localities, spread);
  const disabled = { localityLb: { enabled: false } };
  t.is(policyWith({ outlierDetection: {} }, { mesh: disabled }).localities, undefined);
});

test('each mode of TLS has its certificates', (t) => {
  const tls = (settings: object, service = SERVICE) => policyWith({ tls: settings }, { service }).tls;
  const named = buildService({ subjectAltNames: ['api.example.com'] });
  t.deepEqual(tls({ mode: 'DISABLE' }), { mode: 'plaintext' });
  t.deepEqual(tls({ mode: 'MESH_MUTUAL', sni: 'x', subjectAltNames: ['spiffe://a/b'] }), {
    mode: 'mesh',
    subjectAltNames: ['spiffe://a/b'],
    serverName: 'x',
  });
  t.deepEqual(tls({ mode: 'SIMPLE' }, named), { mode: 'own' });
  t.deepEqual(tls({ mode: 'SIMPLE', caCertificates: '/ca.pem', sni: 'x' }, named), {
    mode: 'own',
    verification: { roots: { type: 'file', path: '/ca.pem' }, subjectAltNames: ['api.example.com'] },
    serverName: 'x',
  });
  const files = { clientCertificate: '/c.pem', privateKey: '/k.pem' };
  t.deepEqual(tls({ mode: 'MUTUAL', ...files, caCertificates: '/ca.pem', subjectAltNames: ['other'] }, named), {
    mode: 'own',
    certificate: { type: 'files', certificatePath: '/c.pem', privateKeyPath: '/k.pem' },
    verification: { roots: { type: 'file', path: '/ca.pem' }, subjectAltNames: ['other'] },
  });
  const credential = { type: 'credential', name: 'secret' } as const;
  const verification = { roots: credential, subjectAltNames: [] };
  t.deepEqual(tls({ mode: 'SIMPLE', credentialName: 'secret' }), { mode: 'own', verification });
  t.deepEqual(tls({ mode: 'MUTUAL', credentialName: 'secret' }), {
    mode: 'own',
    certificate: credential,
    verification,
  });
});

const LIMIT = (maxConnections: number) => ({ connectionPool: { tcp: { maxConnections } } });

test('a port with settings of its own inherits nothing', (t) => {
  const [http, tcp] = clustersWith({
    trafficPolicy: {
      ...LIMIT(1),
      tls: { mode: 'DISABLE' },
      portLevelSettings: [{ port: { number: 81 }, loadBalancer: { simple: 'RANDOM' } }],
    },
  });
  t.is(http?.policy.connections.maxConnections, 1);
  t.deepEqual(tcp?.policy, { ...DEFAULTS, loadBalancer: { type: 'random' } });
});

test('each subset has a cluster for each port, with what it does not set from the rule', (t) => {
  const clusters = clustersWith({
    trafficPolicy: { ...LIMIT(1), tls: { mode: 'DISABLE' } },
    subsets: [
      { name: 'v1', labels: { version: '1' } },
      {
        name: 'v2',
        labels: { version: '2' },
        trafficPolicy: { ...LIMIT(2), portLevelSettings: [{ port: { number: 81 }, ...LIMIT(3) }] },
      },
    ],
  });
  t.deepEqual(
    clusters.map(({ port, destination: { subset }, policy }) => [
      port.number,
      subset.name,
      subset.labels['version'],
      policy.connections.maxConnections,
      policy.tls.mode,
    ]),
    [
      [80, '', undefined, 1, 'plaintext'],
      [80, 'v1', '1', 1, 'plaintext'],
      [80, 'v2', '2', 2, 'plaintext'],
      [81, '', undefined, 1, 'plaintext'],
      [81, 'v1', '1', 1, 'plaintext'],
      [81, 'v2', '2', 3, 'automatic'],
    ],
  );
});

test('a service has clusters for as many subsets as fit into 2048, and always one for each port', (t) => {
  const ports = Array.from({ length: 256 }, (_, at) => buildPort({ number: at + 1, name: `p${at}` }));
  const subsets = Array.from({ length: 128 }, (_, at) => ({ name: `v${at}` }));
  t.is(clustersWith({ subsets }, { service: buildService({ ports }) }).length, 256 + 2048);
  t.is(clustersWith({ subsets }).length, 2 + 2 * 128);
});
