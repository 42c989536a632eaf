import test from 'ava';
import type { Json } from '../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import type { ChainDescription, ListenerPlan } from '../../../src/generators/plugins/listener-plan.js';
import type { ListenerPlugin } from '../../../src/generators/plugins/networking-plugin.js';
import { buildContext, buildPort, buildProxy, buildService, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';

const service = buildService({
  ports: [buildPort(), buildPort({ name: 'tcp', number: 9000, protocol: 'tcp' })],
});
const context = buildContext({
  services: [service],
  mesh: { ...MESH, proxyHttpPort: 15007, accessLogFile: '/dev/stdout' },
  targets: service.ports.map((port) => ({ service, port, targetPort: port.number + 8000 })),
});

/** Adds filters and logs with telling names, and remembers the chains that it saw. */
function createPlugin(name: string, fields: Partial<ListenerPlan> = {}) {
  const seen: string[] = [];
  const see = (kind: string, { direction, serviceCluster }: ChainDescription): void => {
    seen.push(`${kind} ${direction} ${serviceCluster ?? '-'}`);
  };
  const plan: ListenerPlan = {
    key: '',
    localReplies: [],
    httpFilters: (chain) => {
      see('http', chain);
      return [{ name: `${name}-${chain.direction}` }];
    },
    networkFilters: (chain) => {
      see('tcp', chain);
      return [{ name: `${name}-${chain.direction}` }];
    },
    httpAccessLogs: () => [],
    tcpAccessLogs: () => undefined,
    ...fields,
  };
  const plugin: ListenerPlugin = { planListeners: () => plan };
  return { plugin, seen };
}

function listenersWith(plugins: readonly ListenerPlugin[], proxy = buildProxy()): ReadonlyMap<string, Json> {
  const generator = createListenerGenerator(ENCODER, SETTINGS, plugins);
  return new Map(generateAll(generator, context, proxy).resources.map((it) => [it.name, toJson(it)]));
}

const namesAt = (json: Json | undefined, path: string): (Json | undefined)[] =>
  (at(json, path) as Json[]).map((item) => at(item, 'name'));

test('the HTTP filters of plugins come first, in the order of the plugins', (t) => {
  const listeners = listenersWith([createPlugin('one').plugin, createPlugin('two').plugin]);
  const names = namesAt(listeners.get('0.0.0.0_80'), 'filterChains.0.filters.0.typedConfig.httpFilters');
  t.deepEqual(names.slice(0, 3), ['one-outbound', 'two-outbound', 'envoy.filters.http.grpc_stats']);
  const forwardProxy = listeners.get('127.0.0.1_15007');
  t.is(namesAt(forwardProxy, 'filterChains.0.filters.0.typedConfig.httpFilters')[0], 'one-outbound');
});

test('the network filters of plugins come before the terminal filter', (t) => {
  const listeners = listenersWith([createPlugin('one').plugin, createPlugin('two').plugin]);
  t.deepEqual(namesAt(listeners.get('10.96.0.1_9000'), 'filterChains.0.filters'), [
    'one-outbound',
    'two-outbound',
    'envoy.filters.network.tcp_proxy',
  ]);
});

test('a plugin learns the direction and the service of every chain', (t) => {
  const { plugin, seen } = createPlugin('one');
  listenersWith([plugin]);
  const host = 'web.default.svc.cluster.local';
  t.deepEqual([...new Set(seen)].sort(), [
    'http inbound -',
    `http inbound inbound|80|http|${host}`,
    'http outbound -',
    'tcp inbound -',
    `tcp inbound inbound|9000|tcp|${host}`,
    'tcp outbound -',
    `tcp outbound outbound|9000||${host}`,
  ]);
});

test('access logs of plugins come after the file, which still has one line for a connection', (t) => {
  const { plugin } = createPlugin('one', {
    httpAccessLogs: (direction) => [{ name: `http-${direction}`, typedConfig: EMPTY }],
    tcpAccessLogs: (direction) => ({
      logs: [{ name: `tcp-${direction}`, typedConfig: EMPTY }],
      intervalMs: direction === 'inbound' ? 5000 : 10_000,
    }),
  });
  const listeners = listenersWith([plugin]);
  const manager = at(listeners.get('0.0.0.0_80'), 'filterChains.0.filters.0.typedConfig');
  t.deepEqual(namesAt(manager, 'accessLog'), ['envoy.access_loggers.stdout', 'http-outbound']);
  const proxy = at(listeners.get('10.96.0.1_9000'), 'filterChains.0.filters.1.typedConfig');
  t.deepEqual(namesAt(proxy, 'accessLog'), ['envoy.access_loggers.stdout', 'tcp-outbound']);
  t.deepEqual(at(proxy, 'accessLog.0.filter'), { logTypeFilter: { types: ['TcpConnectionEnd'] } });
  t.is(at(proxy, 'accessLog.1.filter'), undefined);
  t.deepEqual(at(proxy, 'accessLogOptions'), { accessLogFlushInterval: '10s', flushAccessLogOnConnected: true });
  const inbound = JSON.stringify(listeners.get('virtualInbound'));
  t.true(inbound.includes('"accessLogFlushInterval":"5s"'));
  t.true(inbound.includes('http-inbound') && inbound.includes('tcp-inbound'));
});

test('without access logs of plugins a TCP proxy logs the end of a connection, as Envoy does by itself', (t) => {
  const proxy = at(listenersWith([]).get('10.96.0.1_9000'), 'filterChains.0.filters.0.typedConfig');
  t.is(at(proxy, 'accessLog.0.filter'), undefined);
  t.is(at(proxy, 'accessLogOptions'), undefined);
});

test('the key of a plan is in the key of every scope, and proxies with other plans get other listeners', (t) => {
  const plugin: ListenerPlugin = {
    planListeners: (mesh, proxy) => {
      const { version } = proxy;
      const { plugin: one } = createPlugin('one', {
        key: version,
        networkFilters: ({ direction }) => [{ name: `${direction} for ${version}` }],
      });
      return one.planListeners(mesh, proxy);
    },
  };
  const generator = createListenerGenerator(ENCODER, SETTINGS, [createPlugin('zero').plugin, plugin]);
  const [old, young] = [buildProxy({ version: '1.0' }), buildProxy({ version: '1.40' })];
  for (const part of generator.parts) {
    const [first, second] = [old, young].map((proxy) => part.scope(context, proxy)?.key);
    if (first !== undefined) t.not(first, second, part.name);
  }
  const listeners = listenersWith([createPlugin('zero').plugin, plugin], young);
  t.true(JSON.stringify(listeners.get('10.96.0.1_9000')).includes('outbound for 1.40'));
  t.true(JSON.stringify(listeners.get('virtualInbound')).includes('inbound for 1.40'));
});

const EMPTY = { type_url: 'type.googleapis.com/google.protobuf.Empty', value: Buffer.alloc(0) };
