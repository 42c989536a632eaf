import test from 'ava';
import type { PodBody } from '../../../src/config/core/pod.js';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { createIncrementalAnalysis } from '../../../src/status/analysis/incremental-analysis.js';
import { batch, contextOf, service, snapshot, storeWith } from '../../model/mesh-objects.js';
import { ENFORCEMENT, shown } from './support.js';
import { found, gatewayOf, made, only, pod, REVIEWS, routes, rule } from './traffic-support.js';

test('hosts of DestinationRules and of VirtualServices of sidecars must exist if they are names of the cluster', (t) => {
  const { host, pattern } = { host: 'revews', pattern: '*.example.org' };
  t.deepEqual(
    found(
      REVIEWS,
      rule('shop/a', { host }),
      rule('shop/b', {}),
      rule('shop/c', { host: pattern }),
      rule('shop/d', { host: 'outside.example.com' }),
    ),
    ['MESH0101 DestinationRule/shop/a spec.host'],
  );
  const to = { host: 'reviews' };
  t.deepEqual(
    only(
      'MESH0101',
      REVIEWS,
      gatewayOf('shop/ingress'),
      routes('shop/a', to, { hosts: ['reviews', 'revews', 'outside.example.com', pattern] }),
      routes('shop/b', to, { hosts: ['any'], gateways: ['ingress'] }),
      routes('shop/c', to, { hosts: ['reviews.shp.svc.cluster.local'], gateways: ['ingress', 'mesh'] }),
    ),
    ['MESH0101 VirtualService/shop/a spec.hosts[1]', 'MESH0101 VirtualService/shop/c spec.hosts[0]'],
  );
});

test('subsets, ports, mirrors, gateways and delegates of a VirtualService must exist', (t) => {
  const subsets = rule('shop/reviews', { subsets: [{ name: 'v1', labels: { version: 'v1' } }] });
  t.deepEqual(found(REVIEWS, subsets, routes('shop/a', { host: 'reviews', subset: 'v1', port: { number: 80 } })), []);
  t.deepEqual(found(REVIEWS, subsets, routes('shop/a', { host: 'reviews', subset: 'v2', port: { number: 81 } })), [
    'MESH0101 VirtualService/shop/a spec.http[0].route[0].destination.port.number',
    'MESH0101 VirtualService/shop/a spec.http[0].route[0].destination.subset',
  ]);
  const fields = {
    gateways: ['mesh', 'ingress', 'edge/public'],
    http: [{ mirror: { host: 'gone' }, route: [{ destination: { host: 'reviews' } }] }, { delegate: { name: 'more' } }],
    tcp: [{ match: [{ gateways: ['none'] }], route: [{ destination: { host: 'reviews.other' } }] }],
  };
  t.deepEqual(only('MESH0101', REVIEWS, gatewayOf('edge/public'), routes('shop/a', {}, fields)), [
    'MESH0101 VirtualService/shop/a spec.gateways[1]',
    'MESH0101 VirtualService/shop/a spec.http[0].mirror.host',
    'MESH0101 VirtualService/shop/a spec.http[1].delegate',
    'MESH0101 VirtualService/shop/a spec.tcp[0].match[0].gateways[0]',
    'MESH0101 VirtualService/shop/a spec.tcp[0].route[0].destination.host',
  ]);
});

/** A Gateway with servers that are written `port protocol host`. */
function servers(where: string, ...written: readonly string[]): MeshObject {
  const all = written.map((text, at) => {
    const [number = '', protocol = '', host = ''] = text.split(' ');
    const tls = protocol === 'HTTPS' ? { tls: { mode: 'SIMPLE', credentialName: 'c' } } : {};
    return { port: { number: Number(number), name: `p${at}`, protocol }, hosts: [host], ...tls };
  });
  return made('Gateway', where, { selector: { app: 'ingress' }, servers: all });
}

const conflictsOf = (...objects: readonly MeshObject[]) =>
  found(...objects).filter((each) => /^MESH040[345]/.test(each));

test('a server whose port or TLS host another Gateway of its routers has is named', (t) => {
  const first = servers('edge/a', '80 HTTP a.example.com', '443 HTTPS a.example.com');
  const second = servers('edge/b', '80 TCP *', '443 HTTPS b.example.com', '443 HTTPS a.example.com');
  const expected = ['MESH0403 Gateway/edge/b spec.servers[0].port', 'MESH0403 Gateway/edge/b spec.servers[2].hosts'];
  t.deepEqual(conflictsOf(first, second), expected);
  t.deepEqual(conflictsOf(first, second, pod('edge/ingress', { app: 'ingress' })), expected);
  t.deepEqual(conflictsOf(first), []);
  t.deepEqual(conflictsOf(first, servers('edge/b', '80 HTTP b.example.com', '443 HTTPS b.example.com')), []);
  // Without workloads, each Gateway stands for a router of its namespace, which prefers it.
  const foreign = servers('team/z', '80 TCP *');
  t.deepEqual(conflictsOf(first, foreign), []);
  t.deepEqual(conflictsOf(first, foreign, pod('edge/ingress', { app: 'ingress' })), [
    'MESH0403 Gateway/team/z spec.servers[0].port',
  ]);
});

test('a review of a Gateway names its conflicts, and compares it with the others only', (t) => {
  const present = [servers('edge/a', '443 HTTPS a.example.com'), servers('edge/b', '443 HTTPS b.example.com')];
  const review = createCandidateAnalysis(contextOf(present));
  const about = (candidate: MeshObject) => review(candidate, ENFORCEMENT).map(shown);
  const [message = '', ...others] = about(servers('edge/b', '443 HTTPS a.example.com'));
  t.deepEqual(others, []);
  t.regex(
    message,
    /^MESH0403 Gateway\/edge\/b spec\.servers\[0\]\.hosts: has TLS host a\.example\.com.* Gateway edge\/a/,
  );
  t.deepEqual(about(servers('edge/b', '443 HTTPS c.example.com')), []);
});

test('the parts of a DestinationRule that an older rule of its namespace replaces are named', (t) => {
  const policy = { trafficPolicy: { connectionPool: { tcp: { maxConnections: 9 } } } };
  const subsets = (...names: readonly string[]) => ({ subsets: names.map((name) => ({ name, labels: { v: name } })) });
  const first = rule('shop/a', { ...policy, ...subsets('v1', 'v2') });
  const second = rule('shop/b', { ...policy, ...subsets('v3', 'v2') });
  t.deepEqual(conflictsOf(REVIEWS, first, second), [
    'MESH0404 DestinationRule/shop/b spec.subsets[1]',
    'MESH0404 DestinationRule/shop/b spec.trafficPolicy',
  ]);
  t.deepEqual(conflictsOf(REVIEWS, first, rule('shop/b', subsets('v3'))), []);
  t.deepEqual(conflictsOf(REVIEWS, first, rule('other/b', { ...policy, host: 'reviews.shop' })), []);
  const [there, here] = [
    rule('shop/a', { ...policy, exportTo: ['x'] }),
    rule('shop/b', { ...policy, exportTo: ['.'] }),
  ];
  t.deepEqual(conflictsOf(REVIEWS, there, here), [], 'no client sees both');
});

test('subsets beyond the clusters of a service with many ports are named', (t) => {
  const subsets = Array.from({ length: 128 }, (_, at) => ({ name: `v${at}`, labels: { v: `${at}` } }));
  const many = rule('shop/a', { subsets });
  const withPorts = (count: number) =>
    service('shop/reviews', {
      selector: { app: 'reviews' },
      ports: Array.from({ length: count }, (_, at) => ({
        name: `http-${at}`,
        port: 8000 + at,
        protocol: 'TCP' as const,
      })),
    });
  t.deepEqual(conflictsOf(withPorts(16), many), []);
  t.deepEqual(conflictsOf(withPorts(20), many), ['MESH0405 DestinationRule/shop/a spec.subsets[102]']);
});

test('a subset that the DestinationRule of the host lacks is certain, even if other objects are missing', (t) => {
  const destination = { host: 'reviews', subset: 'v2' };
  const certain = (...objects: readonly MeshObject[]) =>
    analyze(analysisInputOf(contextOf([REVIEWS, routes('shop/a', destination), ...objects]), ENFORCEMENT))
      .filter(({ code }) => code === 'MESH0101')
      .map(({ isCertain = false }) => isCertain);
  t.deepEqual(certain(rule('shop/reviews', { subsets: [{ name: 'v1', labels: { version: 'v1' } }] })), [true]);
  t.deepEqual(certain(), [false]);
  t.deepEqual(
    certain(
      rule('shop/all', { host: '*.shop.svc.cluster.local', subsets: [{ name: 'v2', labels: { version: 'v2' } }] }),
    ),
    [],
  );
});

test('a ServiceEntry of *.example.com has the hosts below it', (t) => {
  const entry = made('ServiceEntry', 'shop/all', {
    hosts: ['*.example.com'],
    addresses: [],
    ports: [{ number: 443, name: 'https', protocol: 'HTTPS' }],
    location: 'MESH_EXTERNAL',
    resolution: 'NONE',
    endpoints: [],
    exportTo: ['*'],
    subjectAltNames: [],
  });
  t.deepEqual(found(entry, routes('shop/a', { host: 'api.example.com' }, { hosts: ['api.example.com'] })), []);
  t.deepEqual(found(entry, routes('shop/a', { host: 'api.example.org' }, { hosts: ['api.example.com'] })).length, 1);
});

test('VirtualServices of one host overlap only for sidecars, and only where one namespace sees both', (t) => {
  const first = routes('shop/a', { host: 'reviews' });
  const host = { hosts: ['reviews.shop.svc.cluster.local'] };
  const destination = { host: 'reviews.shop.svc.cluster.local' };
  t.deepEqual(found(REVIEWS, first, routes('other/b', destination, host)), [
    'MESH0109 VirtualService/other/b spec.hosts[0]',
    'MESH0109 VirtualService/shop/a spec.hosts[0]',
  ]);
  const ofOther = routes('other/b', destination, { ...host, exportTo: ['.'] });
  t.deepEqual(found(REVIEWS, routes('shop/a', { host: 'reviews' }, { exportTo: ['.'] }), ofOther), []);
  const gateway = gatewayOf('other/edge');
  const ofGateway = routes('other/b', destination, { ...host, gateways: ['edge'] });
  t.deepEqual(only('MESH0109', REVIEWS, first, gateway, ofGateway), []);
});

test('a new version of an object is not compared with the old one at its review', (t) => {
  const context = contextOf([REVIEWS, routes('shop/a', { host: 'reviews' })]);
  t.deepEqual(createCandidateAnalysis(context)(routes('shop/a', { host: 'reviews' }), ENFORCEMENT), []);
  const other = createCandidateAnalysis(context)(routes('shop/b', { host: 'reviews' }), ENFORCEMENT);
  t.deepEqual(
    other.map(({ code }) => code),
    ['MESH0109'],
  );
});

test('TLS of a DestinationRule is compared with subsets and with workloads that have a sidecar', (t) => {
  const strict = made('PeerAuthentication', 'shop/default', { mtls: { mode: 'STRICT' } });
  const meshed = { app: 'reviews', 'security.mesh.internal/tlsMode': 'mesh' };
  const disabled = rule('shop/reviews', { trafficPolicy: { tls: { mode: 'DISABLE' } } });
  t.deepEqual(found(REVIEWS, strict, disabled, pod('shop/r', meshed)), [
    'MESH0113 DestinationRule/shop/reviews spec.trafficPolicy.tls.mode',
  ]);
  t.deepEqual(found(REVIEWS, strict, disabled, pod('shop/r', { app: 'reviews' })), [], 'without a sidecar: plaintext');
  const mutual = rule('shop/reviews', {
    subsets: [
      { name: 'v1', labels: { version: 'v1' }, trafficPolicy: { tls: { mode: 'MESH_MUTUAL' } } },
      { name: 'v2', labels: { version: 'v2' }, trafficPolicy: { tls: { mode: 'MESH_MUTUAL' } } },
    ],
  });
  const pods = [pod('shop/v1', { ...meshed, version: 'v1' }), pod('shop/v2', { app: 'reviews', version: 'v2' })];
  t.deepEqual(found(REVIEWS, mutual, ...pods), [
    'MESH0115 DestinationRule/shop/reviews spec.subsets[1].trafficPolicy.tls.mode',
  ]);
});

test('TLS without a CA certificate is told for rule, subsets and ports', (t) => {
  const simple = { tls: { mode: 'SIMPLE' } };
  const bad = rule('shop/reviews', {
    trafficPolicy: { ...simple, portLevelSettings: [{ port: { number: 80 }, tls: { mode: 'SIMPLE' } }] },
    subsets: [{ name: 'v1', labels: { version: 'v1' }, trafficPolicy: simple }],
  });
  t.deepEqual(found(REVIEWS, bad), [
    'MESH0128 DestinationRule/shop/reviews spec.subsets[0].trafficPolicy.tls',
    'MESH0129 DestinationRule/shop/reviews spec.trafficPolicy.portLevelSettings[0].tls',
    'MESH0128 DestinationRule/shop/reviews spec.trafficPolicy.tls',
  ]);
  for (const tls of [
    { mode: 'SIMPLE', credentialName: 'secret' },
    { mode: 'SIMPLE', caCertificates: '/etc/ca.pem' },
    { mode: 'MESH_MUTUAL' },
  ]) {
    t.deepEqual(found(REVIEWS, rule('shop/reviews', { trafficPolicy: { tls } })), []);
  }
});

test('ports of a Gateway are those of Services and containers of its workloads', (t) => {
  const gateway = (number: number) => gatewayOf('shop/edge', number, { app: 'reviews' });
  const codes = (number: number) => found(REVIEWS, pod('shop/r', { app: 'reviews' }), gateway(number));
  t.deepEqual(codes(80), []);
  t.deepEqual(codes(8080), []);
  t.deepEqual(codes(443), ['MESH0104 Gateway/shop/edge spec.servers[0].port.number']);
});

test('a Gateway selects workloads of all namespaces, or with NAV_SCOPE_GATEWAY_TO_NAMESPACE of its own', (t) => {
  const gateway = gatewayOf('other/edge', 80, { app: 'reviews' });
  const context = contextOf([REVIEWS, pod('shop/r', { app: 'reviews' }), pod('other/o', { app: 'o' }), gateway]);
  const codes = (isGatewayScopedToNamespace: boolean) =>
    analyze(analysisInputOf(context, { ...ENFORCEMENT, isGatewayScopedToNamespace })).filter(
      ({ object }) => object === 'Gateway/other/edge',
    );
  t.deepEqual(codes(false), []);
  t.deepEqual(codes(true).map(shown), [
    'MESH0101 Gateway/other/edge spec.selector: no workload of namespace other has app=reviews; create the resource, or ' +
      'correct name and namespace of the reference',
  ]);
});

test('changed pods run the analyzers of workloads again', (t) => {
  const store = storeWith({});
  const analysis = createIncrementalAnalysis(() => ENFORCEMENT);
  const policy = made('PeerAuthentication', 'shop/a', { selector: { matchLabels: { app: 'reviews' } } });
  store.apply(batch(policy, pod('shop/x', { app: 'x' })));
  const first = snapshot(store);
  t.true(analysis.analyze(first).some(({ code }) => code === 'MESH0127'));
  store.apply(batch(pod('shop/r', { app: 'reviews' })));
  const second = snapshot(store, first);
  t.true(canDiffer(first, second));
  t.false(analysis.analyze(second).some(({ code }) => code === 'MESH0127'));
});

test('unknown clusters of the mesh networks are MESH0126', (t) => {
  const context = contextOf([REVIEWS]);
  const endpoints = [{ fromRegistry: 'nowhere' }, { fromRegistry: context.clusterOf(undefined) }];
  const networks = { networks: new Map([['one', { endpoints, gateways: [] }]]) };
  const messages = analyze(analysisInputOf({ ...context, networks } as typeof context, ENFORCEMENT));
  t.deepEqual(
    messages.filter(({ code }) => code === 'MESH0126').map(({ message }) => message.split(';')[0]),
    ['networks.one.endpoints[0].fromRegistry of the mesh networks: there is no cluster nowhere'],
  );
});

test('pods whose proxy has another image than new pods get are named once for each workload', (t) => {
  const proxied = (where: string, proxyImage: string, phase?: string): MeshObject => {
    const made = pod(where, { app: 'reviews', 'security.mesh.internal/tlsMode': 'mesh' }, phase);
    const body = made.body as PodBody;
    return { ...made, body: { ...body, spec: { ...body.spec, proxyImage } } };
  };
  const objects = [
    REVIEWS,
    proxied('shop/old-1', 'proxy:1'),
    proxied('shop/old-2', 'proxy:1'),
    proxied('shop/new', 'proxy:2'),
    pod('shop/bare', { app: 'reviews' }),
  ];
  const messages = (proxyImage: string | undefined) =>
    analyze(analysisInputOf(contextOf(objects), { ...ENFORCEMENT, proxyImage }))
      .filter(({ code }) => code === 'MESH0105')
      .map((message) => shown(message).replace(/; .*/, ''));
  const [message = '', ...others] = messages('proxy:2');
  t.regex(
    message,
    /^MESH0105 Pod\/shop\/old-[12]: the proxy of the workload .* has the image proxy:1, and new pods get proxy:2$/,
  );
  t.deepEqual(others, []);
  t.deepEqual(messages(undefined), [], 'the injector is off');
});
