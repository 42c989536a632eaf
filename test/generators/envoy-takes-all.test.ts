import test from 'ava';
import type { MeshConfig } from '../../src/config/mesh/mesh-config.js';
import { createClusterGenerator } from '../../src/generators/clusters/cluster-generator.js';
import { createListenerGenerator } from '../../src/generators/listeners/listener-generator.js';
import { createRouteGenerator } from '../../src/generators/routes/route-generator.js';
import type { GeneratorSettings } from '../../src/generators/settings.js';
import type { Proxy, ProxyMetadata } from '../../src/model/proxy.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { peerAuthentication } from '../model/security/peer-authentication.js';
import { buildContext, buildEndpoints, buildPort, buildProxy, buildService, MESH } from './context-builder.js';
import { SETTINGS } from './default-settings.js';
import { validateWithEnvoy } from './envoy-verdict.js';
import { ENCODER, generateAll } from './served-resources.js';

const web = buildService({ name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' });
const headless = buildService({
  name: 'db',
  addresses: [],
  headless: true,
  resolution: 'passthrough',
  ports: [
    buildPort({ name: 'tcp-db', number: 5432, protocol: 'tcp' }),
    buildPort({ name: 'any', number: 5433, protocol: 'auto' }),
    buildPort({ name: 'http', number: 80, protocol: 'http' }),
  ],
});
const many = buildService({
  name: 'many',
  addresses: ['10.96.0.7', 'fd00::7'],
  ports: [
    buildPort({ name: 'grpc', number: 81, protocol: 'grpc' }),
    buildPort({ name: 'grpc-web', number: 82, protocol: 'grpc-web' }),
    buildPort({ name: 'any', number: 7000, protocol: 'auto' }),
    buildPort({ name: 'https', number: 443, protocol: 'https' }),
    buildPort({ name: 'redis', number: 6379, protocol: 'redis' }),
    buildPort({ name: 'thrift', number: 9090, protocol: 'thrift' }),
    buildPort({ name: 'mongo', number: 27017, protocol: 'mongo' }),
    buildPort({ name: 'dns', number: 53, protocol: 'udp' }),
    buildPort({ name: 'http', number: 15001, protocol: 'http' }),
    buildPort({ name: 'tcp', number: 15006, protocol: 'tcp' }),
    buildPort({ name: 'http-dns', number: 15013, protocol: 'http' }),
  ],
});
const zipkin = buildService({
  name: 'zipkin',
  namespace: 'mesh-system',
  ports: [buildPort({ name: 'http', number: 9411 })],
});
const external = (hostname: string, fields: Parameters<typeof buildService>[0]) =>
  buildService({ registry: 'External', hostname, name: hostname, resolution: 'dns', addresses: [], ...fields });
const SERVICES = [
  web,
  headless,
  many,
  zipkin,
  buildService({ name: 'twin', addresses: ['10.96.0.7'], ports: [buildPort({ number: 443, protocol: 'tls' })] }),
  external('*.example.com', {
    resolution: 'passthrough',
    ports: [buildPort(), buildPort({ number: 443, protocol: 'tls' })],
  }),
  external('api.example.com', {
    autoAddress: '240.240.0.1',
    ports: [buildPort({ number: 443, protocol: 'tls' }), buildPort({ number: 9000, protocol: 'tcp' })],
  }),
  external('API.Example.com', { ports: [buildPort(), buildPort({ number: 443, protocol: 'tls' })] }),
  external('range.example.org', {
    resolution: 'passthrough',
    addresses: ['172.16.9.9/16', '172.17.0.0/24', '172.16.0.0/16', '192.0.2.1/32', 'fd00:1::/64'],
    ports: [
      buildPort({ number: 9000, protocol: 'tcp' }),
      buildPort({ number: 9001, protocol: 'auto' }),
      buildPort({ number: 443, protocol: 'tls' }),
      buildPort({ number: 80, protocol: 'http' }),
    ],
  }),
  external('wild.example.org', {
    ports: [buildPort({ number: 7001, protocol: 'auto' }), buildPort({ number: 9000, protocol: 'tcp' })],
  }),
  external('wild2.example.org', {
    ports: [buildPort({ number: 7001, protocol: 'auto' }), buildPort({ number: 443, protocol: 'http' })],
  }),
];
const ENDPOINTS = [
  buildEndpoints(headless, [
    { address: '10.0.1.1', portName: 'tcp-db', port: 5432 },
    { address: '10.0.1.2', portName: 'tcp-db', port: 5432 },
    { address: '10.0.1.1', portName: 'any', port: 5433 },
  ]),
  buildEndpoints(web, [{ address: '10.0.0.9' }]),
];
const TARGETS = many.ports.map((port, index) => ({ service: many, port, targetPort: 8000 + index }));

const MIXED = peerAuthentication('default/mixed', {
  selector: { matchLabels: { app: 'mixed' } },
  mtls: { mode: 'STRICT' },
  portLevelMtls: { 8000: { mode: 'PERMISSIVE' }, 8001: { mode: 'DISABLE' }, 9100: { mode: 'DISABLE' } },
});

interface Case {
  readonly title: string;
  readonly mesh?: Partial<MeshConfig>;
  readonly settings?: Partial<GeneratorSettings>;
  readonly proxy?: Partial<Proxy>;
  readonly metadata?: Partial<ProxyMetadata>;
}

const CASES: readonly Case[] = [
  { title: 'a plain sidecar' },
  {
    title: 'a sidecar with everything on',
    mesh: {
      proxyHttpPort: 15007,
      enableTracing: true,
      defaultConfig: { ...MESH.defaultConfig, tracingAddress: 'zipkin.mesh-system:9411' },
      accessLogFile: '/dev/stdout',
      accessLogEncoding: 'JSON',
      outboundTrafficPolicy: 'REGISTRY_ONLY',
    },
    settings: { http10: true, keyValueFilter: true, thriftFilter: true, defaultRequestTimeoutMs: 15_000 },
    metadata: { dnsCapture: true, http10: true, idleTimeoutMs: 90_000, interceptionMode: 'TPROXY' },
  },
  {
    title: 'a text access log with a format of its own',
    mesh: { accessLogFile: '/dev/stdout', accessLogFormat: '%START_TIME% %RESPONSE_CODE%' },
  },
  { title: 'no sniffing', settings: { sniffInbound: false, sniffOutbound: false } },
  { title: 'no pod listeners', settings: { headlessPodListeners: false } },
  { title: 'an IPv6 sidecar', proxy: { ipAddresses: ['fd00::9'] }, metadata: { dnsCapture: true } },
  {
    title: 'a dual-stack sidecar',
    proxy: { ipAddresses: ['10.0.0.9', 'fd00::9'] },
    metadata: { dnsCapture: true },
    mesh: { proxyHttpPort: 15007 },
  },
  {
    title: 'a sidecar that binds its ports',
    mesh: { proxyHttpPort: 15007 },
    metadata: { interceptionMode: 'NONE' },
  },
  { title: 'a sidecar with a certificate', proxy: { hasSecrets: true } },
  {
    title: 'a sidecar with a certificate and everything on',
    mesh: { proxyHttpPort: 15007, trustDomainAliases: ['old.example.com'] },
    settings: { http10: true, skipTrustDomainValidation: true },
    proxy: { ipAddresses: ['10.0.0.9', 'fd00::9'], hasSecrets: true },
    metadata: { http10: true, interceptionMode: 'TPROXY', labels: { app: 'mixed' } },
  },
  {
    title: 'a sidecar in another namespace',
    proxy: { configNamespace: 'other', dnsDomain: 'other.svc.cluster.local' },
  },
];

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const testWithEnvoy = 'value' in envoy ? test : test.skip;

for (const { title, mesh, settings, proxy: fields, metadata } of CASES) {
  testWithEnvoy(`Envoy takes all clusters, listeners and routes of ${title}`, async (t) => {
    const all = { ...SETTINGS, ...settings };
    const context = buildContext({
      services: SERVICES,
      endpoints: ENDPOINTS,
      targets: TARGETS,
      peerAuthentications: [MIXED],
      mesh: { ...MESH, ...mesh },
    });
    const proxy = buildProxy(fields, metadata);
    const listeners = generateAll(createListenerGenerator(ENCODER, all), context, proxy).resources;
    const clusters = generateAll(createClusterGenerator(ENCODER, all), context, proxy).resources;
    const routeGenerator = createRouteGenerator(ENCODER, all);
    const names = ['80', '81', '82', '443', '7001', '12345', 'http_proxy', 'many.default.svc.cluster.local:7000'];
    const routes = names.flatMap((name) => {
      return routeGenerator.generate(context, routeGenerator.scope(context, proxy), name) ?? [];
    });
    t.true(listeners.length > 10);
    t.true(routes.length > 5);
    const binary = 'value' in envoy ? envoy.value : '';
    await t.notThrowsAsync(validateWithEnvoy(binary, ENCODER, { clusters, listeners, routes }));
  });
}
