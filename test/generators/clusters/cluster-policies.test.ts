import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { frameResource } from '../../../src/envoy/message-encoder.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import { buildLoadAssignment } from '../../../src/generators/endpoints/load-assignment.js';
import type { Proxy } from '../../../src/model/proxy.js';
import type { Service } from '../../../src/model/service.js';
import type { ClusterPolicy } from '../../../src/model/traffic/cluster-policy.js';
import { destinationOf } from '../../../src/model/traffic/destination.js';
import type { NamespaceTraffic, ServiceCluster } from '../../../src/model/traffic/mesh-traffic.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import fc from '../../support/property-testing.js';
import {
  buildContext,
  buildEndpoint,
  buildEndpoints,
  buildPort,
  buildProxy,
  buildService,
} from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { validateWithEnvoy } from '../envoy-verdict.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';
import { arbitraryPolicy, type CertificateFiles } from './arbitrary-policy.js';

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const binary = 'value' in envoy ? envoy.value : undefined;
const envoyTest = binary === undefined ? test.skip : test;

const PLAIN: ClusterPolicy = {
  loadBalancer: { type: 'leastRequest' },
  connections: { connectTimeoutMs: 1000, upgradesToHttp2: false },
  tls: { mode: 'plaintext' },
};

const WEB = buildService();

function clusterWith(service: Service, policy: ClusterPolicy, subset?: ServiceCluster['destination']['subset']) {
  return service.ports.map((port): ServiceCluster => {
    const whole = destinationOf(service, port.number);
    return { port, destination: subset === undefined ? whole : { ...whole, subset }, policy };
  });
}

function trafficOf(
  clusters: ReadonlyMap<Service, readonly ServiceCluster[]>,
  balancesByLocality = true,
): NamespaceTraffic {
  return { id: 'test', balancesByLocality, clustersOf: (service) => clusters.get(service) ?? [] };
}

/** The cluster of a web service with this policy, as JSON. */
function built(
  policy: Partial<ClusterPolicy>,
  { proxy = {}, service = WEB }: { readonly proxy?: Partial<Proxy>; readonly service?: Service } = {},
): Json {
  const traffic = trafficOf(new Map([[service, clusterWith(service, { ...PLAIN, ...policy })]]));
  const endpoints = [buildEndpoints(service, [{ locality: 'north/a' }, { address: '10.0.0.2', locality: 'south/b' }])];
  const context = buildContext({ services: [service], endpoints, traffic });
  const { resources } = generateAll(createClusterGenerator(ENCODER, SETTINGS), context, buildProxy(proxy));
  const cluster = resources.find(({ name }) => name.startsWith('outbound|'));
  if (cluster === undefined) throw new Error('no cluster');
  return toJson(cluster);
}

for (const [type, expected] of [
  ['leastRequest', 'LEAST_REQUEST'],
  ['roundRobin', 'ROUND_ROBIN'],
  ['random', 'RANDOM'],
] as const) {
  test(`the load balancer ${type} is Envoy's ${expected}`, (t) => {
    t.is(at(built({ loadBalancer: { type } }), 'lbPolicy') ?? 'ROUND_ROBIN', expected);
  });
}

test('a consistent hash is a ring of the size that the policy demands', (t) => {
  const cluster = built({
    loadBalancer: { type: 'consistentHash', key: { type: 'sourceAddress' }, minimumRingSize: 4096 },
  });
  t.is(at(cluster, 'lbPolicy'), 'RING_HASH');
  t.is(at(cluster, 'ringHashLbConfig.minimumRingSize'), '4096');
});

test('a sidecar keeps the original destination where the policy says so, a router balances', (t) => {
  const loadBalancer = { type: 'originalDestination' } as const;
  t.is(at(built({ loadBalancer }), 'type'), 'ORIGINAL_DST');
  t.is(at(built({ loadBalancer }, { proxy: { type: 'router' } }), 'type'), 'EDS');
});

test('each limit of connections has its field, and an absent one is the largest number', (t) => {
  const cluster = built({
    connections: { ...PLAIN.connections, maxConnections: 1, maxPendingRequests: 2, maxRequests: 3 },
  });
  t.deepEqual(at(cluster, 'circuitBreakers.thresholds.0'), {
    maxConnections: 1,
    maxPendingRequests: 2,
    maxRequests: 3,
    maxRetries: 4_294_967_295,
  });
});

test('limits of HTTP connections keep the HTTP version of the port', (t) => {
  const OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  const optionsOf = (protocol: 'http' | 'grpc') => {
    const service = buildService({ ports: [buildPort({ protocol })] });
    const connections = { ...PLAIN.connections, idleTimeoutMs: 5000, maxRequestsPerConnection: 7 };
    const options = at(built({ connections }, { service }), 'typedExtensionProtocolOptions') as { [key: string]: Json };
    return options[OPTIONS];
  };
  t.like(optionsOf('http'), {
    commonHttpProtocolOptions: { idleTimeout: '5s', maxRequestsPerConnection: 7 },
    explicitHttpConfig: { httpProtocolOptions: {} },
  });
  t.like(optionsOf('grpc'), { explicitHttpConfig: { http2ProtocolOptions: {} } });
});

test('keepalive counts whole seconds, at least one', (t) => {
  const keepalive = { probes: 3, idleMs: 7900, intervalMs: 1 };
  t.deepEqual(at(built({ connections: { ...PLAIN.connections, keepalive } }), 'upstreamConnectionOptions'), {
    tcpKeepalive: { keepaliveProbes: 3, keepaliveTime: 7, keepaliveInterval: 1 },
  });
});

test('outlier detection counts the errors that the policy names, and no success rates', (t) => {
  t.deepEqual(at(built({ outliers: { consecutiveGatewayErrors: 4, maxEjectionPercent: 50 } }), 'outlierDetection'), {
    enforcingSuccessRate: 0,
    consecutiveGatewayFailure: 4,
    enforcingConsecutiveGatewayFailure: 100,
    maxEjectionPercent: 50,
  });
  t.is(at(built({ outliers: { consecutive5xxErrors: 0 } }), 'outlierDetection.enforcingConsecutive_5xx'), 0);
  t.deepEqual(at(built({ outliers: { minHealthyPercent: 30 } }), 'commonLbConfig.healthyPanicThreshold'), {
    value: 30,
  });
});

test('locality weights count where the policy distributes, and not where it fails over', (t) => {
  t.deepEqual(
    at(built({ localities: { type: 'distribute', rules: [] } }), 'commonLbConfig.localityWeightedLbConfig'),
    {},
  );
  t.is(
    at(built({ localities: { type: 'failover', rules: [] } }), 'commonLbConfig.localityWeightedLbConfig'),
    undefined,
  );
});

test('a cluster of names has the priorities of the proxy that resolves them', (t) => {
  const service = buildService({ resolution: 'dns' });
  const localities = { type: 'failover', rules: [] } as const;
  const prioritiesFor = (locality: string) => {
    const cluster = built({ localities }, { service, proxy: { locality } });
    return [0, 1].map((index) => at(cluster, `loadAssignment.endpoints.${index}.priority`) ?? 0);
  };
  t.deepEqual(prioritiesFor('north/a'), [0, 1]);
  t.deepEqual(prioritiesFor('south/b'), [1, 0]);
});

test('own TLS uses the files, the secrets and the server name of the policy', (t) => {
  const TLS = 'transportSocket.typedConfig';
  const files = built({
    tls: {
      mode: 'own',
      certificate: { type: 'files', certificatePath: '/a/cert.pem', privateKeyPath: '/a/key.pem' },
      verification: { roots: { type: 'file', path: '/a/roots.pem' }, subjectAltNames: ['api.example.com'] },
      serverName: 'api.example.com',
    },
  });
  t.is(at(files, `${TLS}.sni`), 'api.example.com');
  t.is(at(files, `${TLS}.commonTlsContext.tlsCertificates.0.privateKey.filename`), '/a/key.pem');
  t.is(at(files, `${TLS}.commonTlsContext.validationContext.trustedCa.filename`), '/a/roots.pem');
  t.deepEqual(at(files, `${TLS}.commonTlsContext.validationContext.matchTypedSubjectAltNames.0`), {
    sanType: 'DNS',
    matcher: { exact: 'api.example.com' },
  });
  const secrets = built({
    tls: {
      mode: 'own',
      certificate: { type: 'secret', name: 'client' },
      verification: { roots: { type: 'secret', name: 'client-cacert' }, subjectAltNames: [] },
    },
  });
  t.is(at(secrets, `${TLS}.commonTlsContext.tlsCertificateSdsSecretConfigs.0.name`), 'client');
  const context = `${TLS}.commonTlsContext.combinedValidationContext`;
  t.is(at(secrets, `${context}.validationContextSdsSecretConfig.name`), 'client-cacert');
});

test('mesh TLS goes to all endpoints and demands the certificate of the mesh, even of a proxy that has none', (t) => {
  const cluster = built({ tls: { mode: 'mesh', subjectAltNames: [], serverName: 'inner' } });
  t.is(at(cluster, 'transportSocketMatches'), undefined);
  t.is(at(cluster, 'transportSocket.typedConfig.sni'), 'inner');
  t.is(at(cluster, 'transportSocket.typedConfig.commonTlsContext.tlsCertificateSdsSecretConfigs.0.name'), 'default');
});

test('a subset has a cluster and a statistics name of its own', (t) => {
  const subset = { name: 'canary', labels: { version: '2' } };
  const traffic = trafficOf(new Map([[WEB, [...clusterWith(WEB, PLAIN), ...clusterWith(WEB, PLAIN, subset)]]]));
  const context = buildContext({ services: [WEB], traffic });
  const { resources, findings } = generateAll(createClusterGenerator(ENCODER, SETTINGS), context, buildProxy());
  const names = resources.map(({ name }) => name).filter((name) => name.startsWith('outbound|'));
  t.deepEqual(names, [`outbound|80|canary|${WEB.hostname}`, `outbound|80||${WEB.hostname}`].sort());
  t.deepEqual(findings, []);
});

test('a change of a policy encodes the cluster again, and nothing else does', (t) => {
  const generator = createClusterGenerator(ENCODER, SETTINGS);
  const generate = (traffic: NamespaceTraffic) => {
    const { resources } = generateAll(generator, buildContext({ services: [WEB], traffic }), buildProxy());
    return resources.find(({ name }) => name.startsWith('outbound|'));
  };
  const before = trafficOf(new Map([[WEB, clusterWith(WEB, PLAIN)]]));
  const after = trafficOf(new Map([[WEB, clusterWith(WEB, { ...PLAIN, loadBalancer: { type: 'random' } })]]));
  const first = generate(before);
  t.is(generate(before), first);
  t.not(generate(after)?.version, first?.version);
});

async function withCertificateFiles(use: (files: CertificateFiles) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'cluster-policies-'));
  try {
    const authority = createTestAuthority('outside');
    const { certificate, key } = authority.issue({ dnsNames: ['client.example.com'] });
    const write = async (name: string, text: string): Promise<string> => {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    };
    await use({
      certificatePath: await write('cert.pem', certificate),
      privateKeyPath: await write('key.pem', key),
      rootsPath: await write('roots.pem', authority.certificate),
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

envoyTest('Envoy takes every cluster policy that the traffic model can express', async (t) => {
  await withCertificateFiles(async (files) => {
    const policies = fc.sample(arbitraryPolicy(files), 300);
    const protocols = ['http', 'grpc', 'tcp', 'auto', 'tls'] as const;
    const services = policies.map((_, index) =>
      buildService({
        name: `s${index}`,
        resolution: index % 3 === 0 ? 'dns' : 'endpoints',
        ports: [buildPort({ protocol: protocols[index % protocols.length] ?? 'http' })],
      }),
    );
    const clusters = new Map(services.map((each, index) => [each, clusterWith(each, policies[index] ?? PLAIN)]));
    const places = ['', 'north/a/1', 'north/a/2', 'north/b', 'south/b/1', 'west'];
    const endpoints = places.map((locality, index) => ({ address: `10.0.0.${index}`, locality, weight: index + 1 }));
    const context = buildContext({
      services,
      endpoints: services.map((service) => buildEndpoints(service, endpoints)),
      traffic: trafficOf(clusters),
    });
    const proxy = buildProxy({ locality: 'north/a/1', hasSecrets: true });
    const { resources } = generateAll(createClusterGenerator(ENCODER, SETTINGS), context, proxy);
    // Envoy validates no assignment of EDS: clusters of another type carry them.
    const assignments = policies.flatMap(({ localities }, index) => {
      if (localities === undefined) return [];
      const balance = { callerLocality: 'north/a/1', policy: localities };
      const loadAssignment = buildLoadAssignment(`a${index}`, endpoints.map(buildEndpoint), balance);
      const cluster = { name: `a${index}`, type: 'STATIC', connectTimeout: { seconds: 1 }, loadAssignment };
      return [frameResource(TypeUrl.cluster, cluster.name, ENCODER.encode(TypeUrl.cluster, cluster))];
    });
    t.true(assignments.length > 30);
    const served = { clusters: [...resources, ...assignments], listeners: [], routes: [] };
    await t.notThrowsAsync(validateWithEnvoy(binary ?? '', ENCODER, served));
  });
});
