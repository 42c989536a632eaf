import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { createPolicyClustersPart } from '../../../src/generators/policy/policy-clusters-part.js';
import type { GeneratorSettings } from '../../../src/generators/settings.js';
import type { Proxy } from '../../../src/model/proxy.js';
import { buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, toJson } from '../served-resources.js';
import { EMBEDDED, policyContext, SERVERS } from './policy-context.js';

const meshd = buildService({
  name: 'meshd',
  namespace: 'mesh-system',
  hostname: 'meshd.mesh-system.svc.cluster.local',
  ports: [buildPort({ name: 'grpc-policy', number: 15016, protocol: 'grpc' })],
});

const policyService = buildService({
  name: 'policy',
  hostname: 'policy.example.com',
  ports: [buildPort({ name: 'grpc', number: 9091, protocol: 'grpc' })],
});

function resourcesOf(
  policy: Partial<PolicyMeshConfig>,
  { services = [], proxy = buildProxy(), port = 15016, settings = {} }: ClusterOptions = {},
): readonly EncodedResource[] {
  const part = createPolicyClustersPart(ENCODER, { ...SETTINGS, embeddedPolicyPort: () => port, ...settings });
  const context = policyContext(policy, { services });
  const scope = part.scope(context, proxy);
  return scope === undefined ? [] : part.generate(context, scope).resources;
}

const CHECKS_OVER_HTTP = 'policy_check_server';

/** Those of gRPC. */
function clustersOf(policy: Partial<PolicyMeshConfig>, options?: ClusterOptions): ReadonlyMap<string, Json> {
  const all = resourcesOf(policy, options).filter(({ name }) => name !== CHECKS_OVER_HTTP);
  return new Map(all.map((resource) => [resource.name, toJson(resource)]));
}

/** The cluster for checks over HTTP/1.1. */
function httpClusterOf(policy: Partial<PolicyMeshConfig>, options?: ClusterOptions): Json | undefined {
  const resource = resourcesOf(policy, options).find(({ name }) => name === CHECKS_OVER_HTTP);
  return resource && toJson(resource);
}

interface ClusterOptions {
  readonly services?: readonly ReturnType<typeof buildService>[];
  readonly proxy?: Proxy;
  readonly port?: number;
  readonly settings?: Partial<GeneratorSettings>;
}

const addressOf = (cluster: Json | undefined) =>
  at(cluster, 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress');

const IDENTITY = { policyServerIdentity: { namespace: 'mesh-system', serviceAccount: 'meshd' } };

test('a proxy with a certificate calls the embedded server over mutual TLS, and expects its identity or its host', (t) => {
  const [cluster] = [...clustersOf(EMBEDDED, { proxy: buildProxy({ hasSecrets: true }), settings: IDENTITY }).values()];
  t.is(at(cluster, 'transportSocket.name'), 'envoy.transport_sockets.tls');
  const context = at(cluster, 'transportSocket.typedConfig');
  t.is(at(context, 'sni'), 'meshd.mesh-system.svc');
  t.deepEqual(at(context, 'commonTlsContext.alpnProtocols'), ['h2']);
  t.is(at(context, 'commonTlsContext.tlsCertificateSdsSecretConfigs.0.name'), 'default');
  t.deepEqual(at(context, 'commonTlsContext.combinedValidationContext.defaultValidationContext'), {
    matchTypedSubjectAltNames: [
      { sanType: 'DNS', matcher: { exact: 'meshd.mesh-system.svc' } },
      { sanType: 'URI', matcher: { exact: 'spiffe://cluster.local/ns/mesh-system/sa/meshd' } },
    ],
  });
});

test('a proxy without a certificate calls it in plaintext, and so do all where TLS is off', (t) => {
  for (const options of [
    { proxy: buildProxy({ hasSecrets: false }), settings: IDENTITY },
    { proxy: buildProxy({ hasSecrets: true }) },
  ]) {
    const [cluster] = [...clustersOf(EMBEDDED, options).values()];
    t.is(at(cluster, 'transportSocket'), undefined);
  }
});

test('a policy server at an address without a service is called in plaintext, because its certificate is unknown', (t) => {
  const policy = { mixerCheckServer: 'policy.example.com:9091', mixerReportServer: '' };
  const [cluster] = [...clustersOf(policy, { proxy: buildProxy({ hasSecrets: true }), settings: IDENTITY }).values()];
  t.is(at(cluster, 'transportSocket'), undefined);
});

test('there are none while the plugin is inactive, and routers have them too', (t) => {
  t.is(clustersOf({}).size, 0);
  t.is(clustersOf(EMBEDDED, { proxy: buildProxy({ type: 'router' }) }).size, 1);
});

test('the embedded server is where proxies find discovery, at the port that it has', (t) => {
  const clusters = clustersOf(EMBEDDED, { port: 4711 });
  t.deepEqual([...clusters.keys()], ['policy_server']);
  const cluster = clusters.get('policy_server');
  t.deepEqual(addressOf(cluster), { address: 'meshd.mesh-system.svc', portValue: 4711 });
  t.is(at(cluster, 'type'), 'STRICT_DNS');
});

test('the embedded server of a service that is known is each of its instances', (t) => {
  const assignment = 'outbound|15016||meshd.mesh-system.svc.cluster.local';
  const resources = resourcesOf(EMBEDDED, { services: [meshd] });
  t.deepEqual(
    resources.map(({ name }) => name),
    [CHECKS_OVER_HTTP, 'policy_server'],
  );
  for (const resource of resources) {
    // What the stream sends once more when the cluster changes.
    t.is(resource.assignment, assignment);
    const cluster = toJson(resource);
    t.is(at(cluster, 'type'), 'EDS');
    t.is(at(cluster, 'edsClusterConfig.serviceName'), assignment);
    t.is(at(cluster, 'lbPolicy'), 'LEAST_REQUEST');
    t.is(at(cluster, 'loadAssignment'), undefined);
  }
});

test('instances are used, too, where the control plane is known to the outside', (t) => {
  const exposed = { addresses: ['10.96.0.1'], externalAddresses: ['192.0.2.1'] };
  const service = { ...meshd, byCluster: new Map([['Orchestrator', exposed]]) };
  t.is(at(clustersOf(EMBEDDED, { services: [service] }).get('policy_server'), 'type'), 'EDS');
});

const IN_TWO_CLUSTERS = new Map(
  ['Orchestrator', 'west'].map((cluster) => [cluster, { addresses: [], externalAddresses: [] }]),
);

for (const [what, service, proxy] of [
  ['the service does not serve the port', { ports: [buildPort({ number: 15010, protocol: 'grpc' })] }, {}],
  ['the service is a name that proxies resolve', { resolution: 'dns' }, {}],
  ['the service is one in each of several clusters', { byCluster: IN_TWO_CLUSTERS }, {}],
  ['the service is what somebody wrote in a ServiceEntry', { registry: 'External' }, {}],
  ['the proxy is in another cluster', {}, { metadata: { clusterId: 'west' } }],
  ['the proxy is in a network', {}, { metadata: { network: 'vms' } }],
  ['the proxy has no IPv4 address', {}, { ipAddresses: ['fd00::9'] }],
] as const) {
  test(`the embedded server is found by its name where ${what}`, (t) => {
    const metadata = { ...buildProxy().metadata, ...('metadata' in proxy ? proxy.metadata : {}) };
    const options = {
      services: [buildService({ ...meshd, ...service })],
      proxy: buildProxy({ ...proxy, metadata }),
    };
    const [resource] = resourcesOf(EMBEDDED, options);
    t.is(resource?.assignment, undefined);
    const cluster = clustersOf(EMBEDDED, options).get('policy_server');
    t.is(at(cluster, 'type'), 'STRICT_DNS');
    t.is(at(cluster, 'edsClusterConfig'), undefined);
  });
}

test('a connection to a policy server that takes long leaves time for another one', (t) => {
  for (const services of [[], [meshd]]) {
    t.is(at(clustersOf(EMBEDDED, { services }).get('policy_server'), 'connectTimeout'), '1s');
  }
});

test('reports that keep to one server are sent to its name', (t) => {
  const affine = { ...EMBEDDED, sidecarToTelemetrySessionAffinity: true };
  const clusters = clustersOf(affine, { services: [meshd] });
  t.is(at(clusters.get('policy_report_server'), 'type'), 'STRICT_DNS');
  t.is(at(clusters.get('policy_server'), 'type'), 'EDS');
});

test('servers outside of the view get clusters with the names that services have', (t) => {
  const clusters = clustersOf(SERVERS);
  t.deepEqual([...clusters.keys()], ['outbound|9091||policy.example.com', 'outbound|9092||reports.example.com']);
  t.deepEqual(addressOf(clusters.get('outbound|9092||reports.example.com')), {
    address: 'reports.example.com',
    portValue: 9092,
  });
});

test('a server that is a service of the view has its cluster already', (t) => {
  t.deepEqual([...clustersOf(SERVERS, { services: [policyService] }).keys()], ['outbound|9092||reports.example.com']);
  const otherPort = buildService({ ...policyService, ports: [buildPort({ number: 9999, protocol: 'grpc' })] });
  t.true(clustersOf(SERVERS, { services: [otherPort] }).has('outbound|9091||policy.example.com'));
  const noTcp = buildService({ ...policyService, ports: [buildPort({ number: 9091, protocol: 'udp' })] });
  t.true(clustersOf(SERVERS, { services: [noTcp] }).has('outbound|9091||policy.example.com'));
});

test('one server for both is one cluster', (t) => {
  const both = { ...SERVERS, mixerReportServer: SERVERS.mixerCheckServer };
  t.deepEqual([...clustersOf(both).keys()], ['outbound|9091||policy.example.com']);
});

test('reports have a cluster of their own with sidecarToTelemetrySessionAffinity, resolved by the proxy', (t) => {
  const affine = { ...SERVERS, sidecarToTelemetrySessionAffinity: true, mixerReportServer: SERVERS.mixerCheckServer };
  const clusters = clustersOf(affine, { services: [policyService] });
  t.deepEqual([...clusters.keys()], ['policy_report_server']);
  t.is(at(clusters.get('policy_report_server'), 'type'), 'STRICT_DNS');
  const embedded = clustersOf({ ...EMBEDDED, sidecarToTelemetrySessionAffinity: true });
  t.deepEqual([...embedded.keys()], ['policy_report_server', 'policy_server']);
});

test('addresses are not resolved, names are in the family that the proxy has', (t) => {
  const byAddress = clustersOf({ ...EMBEDDED, mixerCheckServer: '[fd00::1]:9091', mixerReportServer: '' });
  const cluster = byAddress.get('outbound|9091||fd00::1');
  t.is(at(cluster, 'type'), 'STATIC');
  t.deepEqual(addressOf(cluster), { address: 'fd00::1', portValue: 9091 });
  const familyOf = (proxy: Proxy) => at(clustersOf(EMBEDDED, { proxy }).get('policy_server'), 'dnsLookupFamily');
  t.is(familyOf(buildProxy()), 'V4_ONLY');
  t.is(familyOf(buildProxy({ ipAddresses: ['fd00::9'] })), 'V6_ONLY');
});

const PROTOCOL = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

function protocolOf(cluster: Json | undefined): Json | undefined {
  return (at(cluster, 'typedExtensionProtocolOptions') as Record<string, Json> | undefined)?.[PROTOCOL];
}

test('all clusters of gRPC use HTTP/2, and detect a dead server', (t) => {
  for (const cluster of [...clustersOf(EMBEDDED).values(), ...clustersOf(SERVERS).values()]) {
    t.truthy(at(protocolOf(cluster), 'explicitHttpConfig.http2ProtocolOptions.connectionKeepalive.interval'));
  }
});

test('checks over HTTP/1.1 have a cluster of their own, which closes idle connections before the server does', (t) => {
  for (const cluster of [httpClusterOf(EMBEDDED), httpClusterOf(SERVERS)]) {
    t.deepEqual(at(protocolOf(cluster), 'explicitHttpConfig'), { httpProtocolOptions: {} });
    t.is(at(protocolOf(cluster), 'commonHttpProtocolOptions.idleTimeout'), '60s');
    t.is(at(cluster, 'connectTimeout'), '1s');
  }
  t.deepEqual(addressOf(httpClusterOf(SERVERS)), { address: 'policy.example.com', portValue: 9091 });
});

test('the number of checks over HTTP/1.1 at the same time is limited: each has a connection', (t) => {
  t.deepEqual(at(httpClusterOf(EMBEDDED), 'circuitBreakers.thresholds.0'), {
    maxConnections: 512,
    maxPendingRequests: 1024,
    maxRequests: 1536,
    maxRetries: 512,
  });
});

test('a proxy with a certificate sends them over mutual TLS, as over gRPC', (t) => {
  const cluster = httpClusterOf(EMBEDDED, { proxy: buildProxy({ hasSecrets: true }), settings: IDENTITY });
  const context = at(cluster, 'transportSocket.typedConfig');
  t.deepEqual(at(context, 'commonTlsContext.alpnProtocols'), ['http/1.1']);
  t.is(
    at(
      context,
      'commonTlsContext.combinedValidationContext.defaultValidationContext.matchTypedSubjectAltNames.1.matcher.exact',
    ),
    'spiffe://cluster.local/ns/mesh-system/sa/meshd',
  );
});

test('there is no such cluster where the mesh config says gRPC, or there is no server for checks', (t) => {
  t.is(httpClusterOf({ ...EMBEDDED, policyCheckProtocol: 'GRPC' }), undefined);
  t.is(httpClusterOf({ ...SERVERS, policyCheckProtocol: 'GRPC' }, { services: [policyService] }), undefined);
  t.is(httpClusterOf({ ...EMBEDDED, mixerCheckServer: '' }), undefined);
});

test('the policy server of a service has a second cluster, with the endpoints and the mutual TLS of the first', (t) => {
  const options = { services: [policyService], proxy: buildProxy({ hasSecrets: true }) };
  const resource = resourcesOf(SERVERS, options).find(({ name }) => name === CHECKS_OVER_HTTP);
  const assignment = 'outbound|9091||policy.example.com';
  t.is(resource?.assignment, assignment);
  const cluster = httpClusterOf(SERVERS, options);
  t.is(at(cluster, 'edsClusterConfig.serviceName'), assignment);
  t.is(at(cluster, 'transportSocketMatches.0.name'), 'tlsMode-mesh');
  const alpn = 'transportSocket.typedConfig.commonTlsContext.alpnProtocols';
  t.deepEqual(at(at(cluster, 'transportSocketMatches.0'), alpn), ['mesh-http', 'mesh']);
  t.deepEqual(at(protocolOf(cluster), 'explicitHttpConfig'), { httpProtocolOptions: {} });
  t.is(at(cluster, 'circuitBreakers.thresholds.0.maxConnections'), 512);
});
