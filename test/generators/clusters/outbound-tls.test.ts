import test from 'ava';
import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import type { GeneratorSettings } from '../../../src/generators/settings.js';
import type { Endpoint } from '../../../src/model/endpoint.js';
import type { Protocol, Service } from '../../../src/model/service.js';
import { peerAuthentication } from '../../model/security/peer-authentication.js';
import { buildContext, buildEndpoints, buildPort, buildProxy, buildService, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';

interface Case {
  readonly service?: Partial<Service>;
  readonly protocol?: Protocol;
  readonly endpoints?: readonly Partial<Endpoint>[];
  readonly serviceAccounts?: readonly string[];
  readonly mesh?: Partial<MeshConfig>;
  readonly settings?: Partial<GeneratorSettings>;
  readonly hasSecrets?: boolean;
  /** Specs of the service's namespace. */
  readonly specs?: readonly object[];
}

const WEB = 'spiffe://cluster.local/ns/default/sa/web';
const IN_MESH: Partial<Endpoint> = { tlsMode: 'mesh' };
const TLS = 'transportSocket.typedConfig';

function clusterOf({ protocol = 'http', endpoints = [], serviceAccounts = [], hasSecrets = true, ...rest }: Case) {
  const service = buildService({ ports: [buildPort({ protocol })], ...rest.service });
  const context = buildContext({
    services: [service],
    endpoints: [{ ...buildEndpoints(service, endpoints), serviceAccounts }],
    mesh: { ...MESH, ...rest.mesh },
    peerAuthentications: (rest.specs ?? []).map((spec, index) => peerAuthentication(`default/p${index}`, spec)),
  });
  const generator = createClusterGenerator(ENCODER, { ...SETTINGS, ...rest.settings });
  const { resources } = generateAll(generator, context, buildProxy({ hasSecrets }));
  const cluster = resources.find(({ name }) => name.startsWith('outbound|'));
  return cluster === undefined ? null : toJson(cluster);
}

const meshSocketOf = (fields: Case) => at(clusterOf(fields), 'transportSocketMatches.0');
const peersOf = (fields: Case) =>
  at(
    meshSocketOf(fields),
    `${TLS}.commonTlsContext.combinedValidationContext.defaultValidationContext.matchTypedSubjectAltNames`,
  );

test('endpoints that take mutual TLS are sent it, all others plaintext', (t) => {
  const cluster = clusterOf({ serviceAccounts: [WEB] });
  t.is(at(cluster, 'transportSocketMatches.0.name'), 'tlsMode-mesh');
  t.deepEqual(at(cluster, 'transportSocketMatches.0.match'), { tlsMode: 'mesh' });
  t.is(at(cluster, 'transportSocketMatches.1.name'), 'tlsMode-disabled');
  t.deepEqual(at(cluster, 'transportSocketMatches.1.match'), {});
  t.is(at(cluster, 'transportSocketMatches.1.transportSocket.name'), 'envoy.transport_sockets.raw_buffer');
  t.is(at(cluster, 'transportSocket'), undefined);
});

test('the server is asked for by cluster, and must be one of the service, in any alias of the trust domain', (t) => {
  const fields = {
    serviceAccounts: ['spiffe://cluster.local/ns/default/sa/db', WEB, 'spiffe://elsewhere/ns/a/sa/b'],
    mesh: { trustDomainAliases: ['old'] },
    service: { subjectAltNames: ['web.example.com'] },
  };
  t.is(at(meshSocketOf(fields), `${TLS}.sni`), 'outbound_.80_._.web.default.svc.cluster.local');
  t.deepEqual(peersOf(fields), [
    { sanType: 'URI', matcher: { exact: 'spiffe://cluster.local/ns/default/sa/db' } },
    { sanType: 'URI', matcher: { exact: WEB } },
    { sanType: 'URI', matcher: { exact: 'spiffe://elsewhere/ns/a/sa/b' } },
    { sanType: 'URI', matcher: { exact: 'spiffe://old/ns/default/sa/db' } },
    { sanType: 'URI', matcher: { exact: 'spiffe://old/ns/default/sa/web' } },
    { sanType: 'DNS', matcher: { exact: 'web.example.com' } },
  ]);
});

test('without known identities, the server must belong to the trust domain', (t) => {
  t.deepEqual(peersOf({ settings: { trustDomain: 'td', skipTrustDomainValidation: true } }), [
    { sanType: 'URI', matcher: { prefix: 'spiffe://td/' } },
  ]);
});

test('clients of HTTP offer its application protocol, so that a port of unknown protocol can tell', (t) => {
  const protocolsOf = (protocol: Protocol) => at(meshSocketOf({ protocol }), `${TLS}.commonTlsContext.alpnProtocols`);
  t.deepEqual(protocolsOf('http'), ['mesh-http', 'mesh']);
  t.deepEqual(protocolsOf('grpc'), ['mesh-http', 'mesh']);
  for (const protocol of ['tcp', 'https', 'tls', 'auto', 'mysql'] as const)
    t.deepEqual(protocolsOf(protocol), ['mesh']);
});

const PLAINTEXT: readonly (readonly [string, Case])[] = [
  ['the proxy has no certificate', { hasSecrets: false }],
  ['the mesh does not use mutual TLS by itself', { mesh: { enableAutoMtls: false } }],
  ['the service is outside of the mesh', { service: { meshExternal: true } }],
];

for (const [when, fields] of PLAINTEXT) {
  test(`a cluster has no TLS where ${when}`, (t) => {
    const cluster = clusterOf({ endpoints: [IN_MESH], serviceAccounts: [WEB], ...fields });
    t.is(at(cluster, 'name'), 'outbound|80||web.default.svc.cluster.local');
    t.is(at(cluster, 'transportSocketMatches'), undefined);
    t.is(at(cluster, 'transportSocket'), undefined);
  });
}

test('a name that the proxy resolves itself is sent mutual TLS where it is said to take it', (t) => {
  const service = { resolution: 'dns', hostname: 'vm.example.com' } as const;
  const tlsOf = (specs: readonly object[] = []) => {
    const cluster = clusterOf({ service, endpoints: [{ address: 'a.b', ...IN_MESH }], specs });
    t.truthy(at(cluster, 'transportSocketMatches.0'));
    return at(cluster, 'loadAssignment.endpoints.0.lbEndpoints.0.metadata');
  };
  t.deepEqual(tlsOf(), { filterMetadata: { 'envoy.transport_socket_match': { tlsMode: 'mesh' } } });
  t.is(tlsOf([{ mtls: { mode: 'DISABLE' } }]), undefined);
});

const HEADLESS = { resolution: 'passthrough', headless: true, addresses: [] } as const;
const MODES: readonly (readonly [string, Omit<Case, 'service'>, boolean])[] = [
  ['all endpoints take it', { endpoints: [IN_MESH, { ...IN_MESH, address: '10.0.0.2' }] }, true],
  ['one endpoint does not', { endpoints: [IN_MESH, { address: '10.0.0.2' }] }, false],
  ['there is no endpoint', {}, false],
  ['endpoints of another port do not', { endpoints: [IN_MESH, { portName: 'other' }] }, true],
  ['a PeerAuthentication disables it', { endpoints: [IN_MESH], specs: [{ mtls: { mode: 'DISABLE' } }] }, false],
  [
    'a PeerAuthentication disables another port',
    {
      endpoints: [{ ...IN_MESH, labels: { app: 'a' } }],
      specs: [{ selector: { matchLabels: { app: 'a' } }, portLevelMtls: { 9: { mode: 'DISABLE' } } }],
    },
    true,
  ],
];

for (const [when, fields, isTls] of MODES) {
  test(`a headless service is sent ${isTls ? 'mutual TLS' : 'plaintext'} when ${when}`, (t) => {
    const cluster = clusterOf({ service: HEADLESS, serviceAccounts: [WEB], ...fields });
    t.is(at(cluster, 'type'), 'ORIGINAL_DST');
    t.is(at(cluster, 'transportSocketMatches'), undefined);
    t.is(at(cluster, 'transportSocket.name'), isTls ? 'envoy.transport_sockets.tls' : undefined);
  });
}

test('clusters are encoded again when identities change, and not when endpoints do', (t) => {
  const generator = createClusterGenerator(ENCODER, SETTINGS);
  const service = buildService();
  const peerAuthentications = [peerAuthentication('default/p', { mtls: { mode: 'STRICT' } })];
  const accounts = [WEB];
  const resourceOf = (address: string, serviceAccounts: readonly string[]) => {
    const endpoints = [{ ...buildEndpoints(service, [{ address }]), serviceAccounts }];
    const context = buildContext({ services: [service], endpoints, peerAuthentications });
    return generateAll(generator, context, buildProxy({ hasSecrets: true })).resources.find(({ name }) =>
      name.startsWith('outbound|'),
    );
  };
  const before = resourceOf('10.0.0.1', accounts);
  t.is(resourceOf('10.0.0.2', accounts), before);
  const after = resourceOf('10.0.0.2', [WEB, 'spiffe://cluster.local/ns/default/sa/z']);
  t.not(after?.version, before?.version);
});

test('proxies with and without a certificate have different clusters of one service, each kept', (t) => {
  const generator = createClusterGenerator(ENCODER, SETTINGS);
  const context = buildContext({ services: [buildService()] });
  const outboundOf = (hasSecrets: boolean) =>
    generateAll(generator, context, buildProxy({ hasSecrets })).resources.find(({ name }) =>
      name.startsWith('outbound|'),
    );
  const [secured, plaintext] = [outboundOf(true), outboundOf(false)];
  t.not(secured?.version, plaintext?.version);
  t.is(outboundOf(true), secured);
  t.is(outboundOf(false), plaintext);
});
