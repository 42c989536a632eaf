import test from 'ava';
import type { Json } from '../../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import type { GeneratorSettings } from '../../../../src/generators/settings.js';
import type { Proxy, ProxyMetadata } from '../../../../src/model/proxy.js';
import type { Protocol } from '../../../../src/model/service.js';
import { buildContext, buildPort, buildProxy, buildService } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../../served-resources.js';

interface Variant {
  readonly settings?: Partial<GeneratorSettings>;
  readonly proxy?: Partial<Proxy>;
  readonly metadata?: Partial<ProxyMetadata>;
}

const target = (protocol: Protocol, targetPort: number, fields: Parameters<typeof buildService>[0] = {}) => {
  const port = buildPort({ name: 'main', number: 80, protocol });
  return { service: buildService({ ...fields, ports: [port] }), port, targetPort };
};

function generate(targets: readonly ReturnType<typeof target>[], { settings, proxy, metadata }: Variant = {}) {
  const generator = createListenerGenerator(ENCODER, { ...SETTINGS, ...settings });
  const { resources, findings } = generateAll(generator, buildContext({ targets }), buildProxy(proxy, metadata));
  const listener = resources.find(({ name }) => name === 'virtualInbound');
  return { listener: listener && toJson(listener), findings };
}

const chains = (listener: Json | undefined) => (at(listener, 'filterChains') ?? []) as Json[];
const chain = (listener: Json | undefined, name: string) => chains(listener).find((it) => at(it, 'name') === name);
const CONFIG = 'filters.0.typedConfig';

test('a workload without services has its own port closed and everything else passed through', (t) => {
  const { listener } = generate([]);
  t.deepEqual(
    chains(listener).map((it) => at(it, 'name')),
    ['virtualInbound-blackhole', 'virtualInbound-catchall-http', 'virtualInbound-catchall-tcp'],
  );
  t.is(at(chain(listener, 'virtualInbound-blackhole'), 'filterChainMatch.destinationPort'), 15006);
  t.is(at(chain(listener, 'virtualInbound-catchall-tcp'), `${CONFIG}.cluster`), 'InboundPassthroughClusterIpv4');
  t.is(at(listener, 'address.socketAddress.portValue'), 15006);
  t.is(at(listener, 'listenerFilters.0.name'), 'envoy.filters.listener.original_dst');
  t.is(at(listener, 'listenerFiltersTimeout'), '1s');
});

test('an HTTP port routes everything to its cluster, by a table that comes with the listener', (t) => {
  const { listener } = generate([target('http', 8080)]);
  const routes = at(chain(listener, '0.0.0.0_8080'), `${CONFIG}.routeConfig`);
  t.is(at(routes, 'name'), 'inbound|80|main|web.default.svc.cluster.local');
  t.is(at(routes, 'virtualHosts.0.name'), 'inbound|http|80');
  t.is(at(routes, 'virtualHosts.0.routes.0.name'), 'default');
  t.is(at(routes, 'virtualHosts.0.routes.0.route.cluster'), 'inbound|80|main|web.default.svc.cluster.local');
  t.is(at(routes, 'virtualHosts.0.routes.0.decorator.operation'), 'web.default.svc.cluster.local:80/*');
  t.is(at(chain(listener, '0.0.0.0_8080'), `${CONFIG}.forwardClientCertDetails`), 'APPEND_FORWARD');
  t.is(at(chain(listener, '0.0.0.0_8080'), `${CONFIG}.useRemoteAddress`), false);
});

test('HTTP filters stand in their order, gRPC-Web first where the port speaks it', (t) => {
  const filters = (protocol: Protocol) => {
    const manager = at(chain(generate([target(protocol, 8080)]).listener, '0.0.0.0_8080'), `${CONFIG}.httpFilters`);
    return (manager as Json[]).map((filter) => String(at(filter, 'name')).replace('envoy.filters.http.', ''));
  };
  t.deepEqual(filters('grpc'), ['grpc_stats', 'cors', 'fault', 'router']);
  t.deepEqual(filters('grpc-web'), ['grpc_web', 'grpc_stats', 'cors', 'fault', 'router']);
});

test('a sniffed port has both chains, and alone among the ports waits for its first bytes', (t) => {
  const { listener } = generate([
    target('auto', 7000, { name: 'any' }),
    target('tcp', 3306, { name: 'db' }),
    target('http', 8080),
  ]);
  t.deepEqual(at(chain(listener, '0.0.0.0_7000'), 'filterChainMatch'), {
    destinationPort: 7000,
    transportProtocol: 'raw_buffer',
    applicationProtocols: ['http/1.1', 'h2c'],
  });
  t.is(at(chain(listener, '0.0.0.0_7000-tcp'), `${CONFIG}.cluster`), 'inbound|80|main|any.default.svc.cluster.local');
  const rules = at(listener, 'listenerFilters.1.filterDisabled.orMatch.rules') as Json[];
  t.deepEqual(
    rules.map((rule) => at(rule, 'destinationPortRange.start')),
    [3306, 8080, 15006],
  );
});

test('without inbound sniffing nothing is inspected', (t) => {
  const { listener } = generate([target('auto', 7000)], { settings: { sniffInbound: false } });
  t.is(at(listener, 'listenerFilters.1'), undefined);
  t.is(chain(listener, 'virtualInbound-catchall-http'), undefined);
  t.is(at(chain(listener, '0.0.0.0_7000'), 'filters.0.name'), 'envoy.filters.network.tcp_proxy');
});

test('of two services at one port the older one has it, and the other is a conflict', (t) => {
  const { listener, findings } = generate([
    target('tcp', 8080, { name: 'a-younger', creationTimestamp: '2026-02-01T00:00:00Z' }),
    target('http', 8080, { name: 'z-older', creationTimestamp: '2026-01-01T00:00:00Z' }),
  ]);
  const cluster = at(chain(listener, '0.0.0.0_8080'), `${CONFIG}.routeConfig.name`);
  t.is(cluster, 'inbound|80|main|z-older.default.svc.cluster.local');
  t.deepEqual(
    findings.map(({ metric, message }) => `${metric} ${message}`),
    [
      'nav_conflict_inbound_listener Listener=0.0.0.0:8080 AcceptedHTTP=z-older.default.svc.cluster.local ' +
        'RejectedTCP=a-younger.default.svc.cluster.local HTTPServices=1',
    ],
  );
});

test('two ports of one service that lead to the same port of the workload are no conflict', (t) => {
  const first = target('http', 8080);
  const second = { ...first, port: buildPort({ name: 'second', number: 81 }) };
  const { listener, findings } = generate([first, second]);
  t.deepEqual(findings, []);
  t.is(chains(listener).length, 4);
});

test('the port of the inbound listener itself is refused to services', (t) => {
  const { listener, findings } = generate([target('tcp', 15006)]);
  t.is(chains(listener).length, 3);
  t.deepEqual(
    findings.map(({ metric }) => metric),
    ['nav_conflict_inbound_listener'],
  );
});

test('UDP ports and Unix sockets have no chain', (t) => {
  t.is(chains(generate([target('udp', 53), target('http', 0)]).listener).length, 3);
});

test('TPROXY makes both virtual listeners transparent, NONE has neither', (t) => {
  const namesOf = (interceptionMode: ProxyMetadata['interceptionMode']) => {
    const generator = createListenerGenerator(ENCODER, SETTINGS);
    return generateAll(generator, buildContext(), buildProxy({}, { interceptionMode }))
      .resources.map((resource) => [resource.name, at(toJson(resource), 'transparent')])
      .sort();
  };
  t.deepEqual(namesOf('TPROXY'), [
    ['virtualInbound', true],
    ['virtualOutbound', true],
  ]);
  t.deepEqual(namesOf('REDIRECT'), [
    ['virtualInbound', undefined],
    ['virtualOutbound', undefined],
  ]);
  t.deepEqual(namesOf('NONE'), []);
});

test('each IP family passes through by its own cluster', (t) => {
  const clustersOf = (ipAddresses: readonly string[]) =>
    chains(generate([], { proxy: { ipAddresses } }).listener)
      .filter((it) => String(at(it, 'name')).startsWith('virtualInbound-catchall-tcp'))
      .map((it) => [at(it, `${CONFIG}.cluster`), at(it, 'filterChainMatch.prefixRanges.0.addressPrefix')]);
  t.deepEqual(clustersOf(['fd00::9']), [['InboundPassthroughClusterIpv6', undefined]]);
  t.deepEqual(clustersOf(['10.0.0.9', 'fd00::9']), [
    ['InboundPassthroughClusterIpv4', '0.0.0.0'],
    ['InboundPassthroughClusterIpv6', '::'],
  ]);
});

test('replicas of a workload share one scope, whatever their addresses', (t) => {
  const generator = createListenerGenerator(ENCODER, SETTINGS);
  const context = buildContext({ targets: [target('http', 8080)] });
  const keysOf = (address: string) =>
    generator.parts.map((part) => part.scope(context, buildProxy({ ipAddresses: [address] }))?.key);
  t.deepEqual(keysOf('10.0.0.1'), keysOf('10.0.0.2'));
});
