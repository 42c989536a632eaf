import test from 'ava';
import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import type { GeneratorSettings } from '../../../src/generators/settings.js';
import { buildContext, buildPort, buildProxy, buildService, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';

const zipkin = buildService({
  name: 'zipkin',
  namespace: 'mesh-system',
  ports: [buildPort({ number: 9411, protocol: 'http' })],
});

interface Variant {
  readonly services?: readonly ReturnType<typeof buildService>[];
  readonly settings?: Partial<GeneratorSettings>;
  readonly mesh?: Partial<MeshConfig>;
  readonly idleTimeoutMs?: number;
}

/** The connection manager of the shared listener for port 80. */
function managerOf({ services = [], settings, mesh, idleTimeoutMs }: Variant): Json | undefined {
  const generator = createListenerGenerator(ENCODER, { ...SETTINGS, ...settings });
  const context = buildContext({ services: [buildService(), ...services], mesh: { ...MESH, ...mesh } });
  const proxy = buildProxy({}, idleTimeoutMs === undefined ? {} : { idleTimeoutMs });
  const listener = generateAll(generator, context, proxy).resources.find(({ name }) => name === '0.0.0.0_80');
  return listener && at(toJson(listener), 'filterChains.0.filters.0.typedConfig');
}

const tracingTo = (tracingAddress: string): Partial<MeshConfig> => ({
  enableTracing: true,
  defaultConfig: { ...MESH.defaultConfig, tracingAddress },
});

test('paths are normalised, websockets upgraded, idle streams kept, and request ids made from traces', (t) => {
  const manager = managerOf({});
  t.is(at(manager, 'normalizePath'), true);
  t.deepEqual(at(manager, 'upgradeConfigs'), [{ upgradeType: 'websocket' }]);
  t.is(at(manager, 'streamIdleTimeout'), '0s');
  t.is(at(manager, 'requestIdExtension.typedConfig.useRequestIdForTraceSampling'), true);
  t.is(at(manager, 'commonHttpProtocolOptions'), undefined);
});

test('requests are traced where the collector is a service that the proxy sees', (t) => {
  const manager = managerOf({
    services: [zipkin],
    mesh: tracingTo('zipkin.mesh-system:9411'),
    settings: { traceSamplingPercent: 12.5 },
  });
  t.is(at(manager, 'tracing.clientSampling.value'), 100);
  t.is(at(manager, 'tracing.randomSampling.value'), 12.5);
  t.is(at(manager, 'tracing.overallSampling.value'), 100);
  const cluster = at(manager, 'tracing.provider.typedConfig.collectorCluster');
  t.is(cluster, 'outbound|9411||zipkin.mesh-system.svc.cluster.local');
});

test('nothing is traced without the collector, its port, or leave to trace', (t) => {
  const address = 'zipkin.mesh-system:9411';
  t.is(at(managerOf({ mesh: tracingTo(address) }), 'tracing'), undefined);
  t.is(at(managerOf({ services: [zipkin], mesh: tracingTo('zipkin.mesh-system:9999') }), 'tracing'), undefined);
  t.is(
    at(managerOf({ services: [zipkin], mesh: { ...tracingTo(address), enableTracing: false } }), 'tracing'),
    undefined,
  );
});

test('a sampling rate out of range counts as 100', (t) => {
  for (const traceSamplingPercent of [-1, 101]) {
    const mesh = tracingTo('zipkin.mesh-system:9411');
    const manager = managerOf({ services: [zipkin], mesh, settings: { traceSamplingPercent } });
    t.is(at(manager, 'tracing.randomSampling.value'), 100);
  }
});

test('access logs go to a file by its path, and to standard output as it is open', (t) => {
  const toFile = managerOf({ mesh: { accessLogFile: '/tmp/access.log', accessLogFormat: '%PROTOCOL%' } });
  t.is(at(toFile, 'accessLog.0.typedConfig.path'), '/tmp/access.log');
  t.is(at(toFile, 'accessLog.0.typedConfig.logFormat.textFormatSource.inlineString'), '%PROTOCOL%\n');
  const toStdout = managerOf({ mesh: { accessLogFile: '/dev/stdout' } });
  t.is(at(toStdout, 'accessLog.0.name'), 'envoy.access_loggers.stdout');
  t.is(at(toStdout, 'accessLog.0.typedConfig.logFormat'), undefined);
});

test('a JSON access log has the fields of its format, or the default ones', (t) => {
  const formatOf = (accessLogFormat: string) => {
    const mesh = { accessLogFile: '/dev/stdout', accessLogEncoding: 'JSON', accessLogFormat } as const;
    return at(managerOf({ mesh }), 'accessLog.0.typedConfig.logFormat.jsonFormat');
  };
  t.deepEqual(formatOf('{"code": "%RESPONSE_CODE%"}'), { code: '%RESPONSE_CODE%' });
  const nested = { size: { sent: '%BYTES_SENT%' }, list: ['%PROTOCOL%', 1], fixed: true };
  t.deepEqual(formatOf(JSON.stringify(nested)), nested);
  for (const other of ['', 'no JSON', '[]']) t.is(at(formatOf(other), 'response_code'), '%RESPONSE_CODE%');
});

test('idle connections end after IDLE_TIMEOUT', (t) => {
  t.is(at(managerOf({ idleTimeoutMs: 90_000 }), 'commonHttpProtocolOptions.idleTimeout'), '90s');
});

test('the remote address is used where the setting says so', (t) => {
  t.is(at(managerOf({}), 'useRemoteAddress'), false);
  t.is(at(managerOf({ settings: { sidecarUseRemoteAddress: true } }), 'useRemoteAddress'), true);
});

test('the forward proxy is a bound listener on loopback with a table of its own', (t) => {
  const context = buildContext({ mesh: { ...MESH, proxyHttpPort: 15007 } });
  const { resources } = generateAll(createListenerGenerator(ENCODER, SETTINGS), context, buildProxy());
  const listener = resources.find(({ name }) => name === '127.0.0.1_15007');
  const json = listener && toJson(listener);
  t.is(at(json, 'filterChains.0.filters.0.typedConfig.rds.routeConfigName'), 'http_proxy');
  t.is(at(json, 'bindToPort'), undefined);
});
