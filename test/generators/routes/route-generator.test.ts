import test from 'ava';
import type { Json } from '../../../src/envoy/message-json.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import type { GeneratorSettings } from '../../../src/generators/settings.js';
import type { Proxy } from '../../../src/model/proxy.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';
import { buildContext, buildPort, buildProxy, buildService, type ContextParts, MESH } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const OTHER = { configNamespace: 'other', dnsDomain: 'other.svc.cluster.local' };

function route(
  name: string,
  parts: ContextParts,
  settings: Partial<GeneratorSettings> = {},
  fields: Partial<Proxy> = {},
) {
  const generator = createRouteGenerator(ENCODER, { ...SETTINGS, ...settings });
  const context = buildContext(parts);
  const scope = generator.scope(context, buildProxy(fields));
  const table = generator.generate(context, scope, name);
  return { table: table && toJson(table), findings: generator.findings?.(context, scope, name) ?? [] };
}

const hostsOf = (table: Json | undefined) => (at(table, 'virtualHosts') ?? []) as Json[];
const namesOf = (table: Json | undefined) => hostsOf(table).map((host) => at(host, 'name'));
const domainsOf = (table: Json | undefined, name: string) =>
  at(
    hostsOf(table).find((host) => at(host, 'name') === name),
    'domains',
  );

test('a port table has every HTTP service of the port, and the fallback last', (t) => {
  const services = [
    buildService({ name: 'web' }),
    buildService({ name: 'db', addresses: [], ports: [buildPort({ protocol: 'tcp' })] }),
    buildService({ name: 'any', addresses: [], ports: [buildPort({ protocol: 'auto' })] }),
    buildService({ name: 'elsewhere', addresses: [], ports: [buildPort({ number: 81 })] }),
  ];
  const { table } = route('80', { services });
  t.deepEqual(namesOf(table), ['web.default.svc.cluster.local:80', 'any.default.svc.cluster.local:80', 'allow_any']);
  t.is(at(table, 'name'), '80');
  t.is(at(table, 'validateClusters'), false);
  const unsniffed = route('80', { services }, { sniffOutbound: false }).table;
  t.deepEqual(namesOf(unsniffed), ['web.default.svc.cluster.local:80', 'allow_any']);
});

test('requests go to the cluster of the port, with the default retries and no timeout', (t) => {
  const { table } = route('80', { services: [buildService()] });
  t.deepEqual(at(table, 'virtualHosts.0.routes.0'), {
    name: 'default',
    match: { prefix: '/' },
    route: {
      cluster: 'outbound|80||web.default.svc.cluster.local',
      timeout: '0s',
      retryPolicy: {
        retryOn: 'connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes',
        numRetries: 2,
        retryHostPredicate: [
          {
            name: 'envoy.retry_host_predicates.previous_hosts',
            typedConfig: {
              '@type': 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
            },
          },
        ],
        hostSelectionRetryMaxAttempts: '5',
        retriableStatusCodes: [503],
      },
      maxStreamDuration: { maxStreamDuration: '0s', grpcTimeoutHeaderMax: '0s' },
    },
    decorator: { operation: 'web.default.svc.cluster.local:80/*' },
  });
});

test('the default request timeout is the timeout of the route, which Envoy ignores beside a duration of streams', (t) => {
  const { table } = route('80', { services: [buildService()] }, { defaultRequestTimeoutMs: 1500 });
  t.is(at(table, 'virtualHosts.0.routes.0.route.timeout'), '1.5s');
  t.is(at(table, 'virtualHosts.0.routes.0.route.maxStreamDuration'), undefined);
});

test('hosts that are no service pass through, or get 502 where only services are allowed', (t) => {
  const allowed = route('80', {}).table;
  t.is(at(allowed, 'virtualHosts.0.routes.0.route.cluster'), 'PassthroughCluster');
  const blocked = route('80', { mesh: { ...MESH, outboundTrafficPolicy: 'REGISTRY_ONLY' } }).table;
  t.deepEqual(at(blocked, 'virtualHosts.0'), {
    name: 'block_all',
    domains: ['*'],
    routes: [{ name: 'block_all', match: { prefix: '/' }, directResponse: { status: 502 } }],
  });
});

test("short names mean the services of the proxy's own namespace", (t) => {
  const services = ['default', 'other'].map((namespace) => buildService({ namespace, addresses: [] }));
  const own = route('80', { services }).table;
  t.true((domainsOf(own, 'web.default.svc.cluster.local:80') as string[]).includes('web'));
  t.false((domainsOf(own, 'web.other.svc.cluster.local:80') as string[]).includes('web'));
  const others = route('80', { services }, {}, OTHER).table;
  t.false((domainsOf(others, 'web.default.svc.cluster.local:80') as string[]).includes('web'));
  t.true((domainsOf(others, 'web.other.svc.cluster.local:80') as string[]).includes('web'));
});

test('a sniffed service has a table of its own', (t) => {
  const ports = [buildPort({ number: 7000, protocol: 'auto' }), buildPort({ number: 3306, protocol: 'tcp' })];
  const services = [buildService({ ports }), buildService({ name: 'b', ports })];
  const { table } = route('web.default.svc.cluster.local:7000', { services });
  t.deepEqual(namesOf(table), ['web.default.svc.cluster.local:7000', 'allow_any']);
  t.is(route('web.default.svc.cluster.local:3306', { services }).table, undefined);
  t.is(route('gone.default.svc.cluster.local:7000', { services }).table, undefined);
});

test('the forward proxy has all HTTP ports, and reads names without a port as port 80', (t) => {
  const ports = [buildPort(), buildPort({ name: 'more', number: 8080 })];
  const mesh = { ...MESH, proxyHttpPort: 15007 };
  const { table } = route('http_proxy', { services: [buildService({ ports, addresses: [] })], mesh }, {}, OTHER);
  const host = 'web.default.svc.cluster.local';
  t.true((domainsOf(table, `${host}:80`) as string[]).includes(host));
  t.deepEqual(domainsOf(table, `${host}:8080`), [`${host}:8080`, 'web.default:8080', 'web.default.svc:8080']);
  t.is(route('http_proxy', { services: [buildService()] }).table, undefined, 'there is no forward proxy');
});

test('a port that no service has gets a table with the fallback alone; other names get none', (t) => {
  t.deepEqual(namesOf(route('12345', { services: [buildService()] }).table), ['allow_any']);
  for (const name of ['', '0', '65536', '080', 'nonsense', ':80', 'inbound|80||']) {
    t.is(route(name, { services: [buildService()] }).table, undefined, name);
  }
});

test('routers have no tables', (t) => {
  t.is(route('80', { services: [buildService()] }, {}, { type: 'router' }).table, undefined);
});

test('of a domain that two services claim, the younger loses that domain alone, and it is reported', (t) => {
  const services = [buildService({ name: 'older' }), buildService({ name: 'younger' })];
  const { table, findings } = route('80', { services }, {}, OTHER);
  t.true((domainsOf(table, 'older.default.svc.cluster.local:80') as string[]).includes('10.96.0.1'));
  t.deepEqual(domainsOf(table, 'younger.default.svc.cluster.local:80'), [
    'younger.default.svc.cluster.local',
    'younger.default.svc.cluster.local:80',
    'younger.default',
    'younger.default:80',
    'younger.default.svc',
    'younger.default.svc:80',
  ]);
  t.deepEqual(
    findings.map(({ metric, key }) => `${metric} ${key}`),
    ['nav_vservice_dup_domain 10.96.0.1:80'],
  );
  t.true(findings[0]?.message.includes('Service/default/younger'));
});

test('a service all of whose domains belong to others falls away', (t) => {
  const entry = (hostname: string) => buildService({ registry: 'External', hostname, addresses: [] });
  const { table, findings } = route('80', { services: [entry('api.example.com'), entry('API.example.com')] });
  t.deepEqual(namesOf(table), ['api.example.com:80', 'allow_any']);
  t.is(findings.length, 1);
});

test('a service with a duplicate in one namespace is whole in another', (t) => {
  const services = [
    buildService({ addresses: [] }),
    buildService({ registry: 'External', hostname: 'web', name: 'entry', addresses: [] }),
  ];
  t.deepEqual(namesOf(route('80', { services }).table), ['web.default.svc.cluster.local:80', 'allow_any']);
  const elsewhere = route('80', { services }, {}, OTHER);
  t.deepEqual(domainsOf(elsewhere.table, 'web:80'), ['web', 'web:80']);
  t.deepEqual(elsewhere.findings, []);
});

test('a change of the mesh config reaches tables whose services did not change', (t) => {
  const generator = createRouteGenerator(ENCODER, SETTINGS);
  const services = [buildService()];
  const fallbackWith = (outboundTrafficPolicy: 'ALLOW_ANY' | 'REGISTRY_ONLY') => {
    const context = buildContext({ services, mesh: { ...MESH, outboundTrafficPolicy } });
    const table = generator.generate(context, generator.scope(context, buildProxy()), '80');
    return table && at(toJson(table), 'virtualHosts.1.name');
  };
  t.is(fallbackWith('ALLOW_ANY'), 'allow_any');
  t.is(fallbackWith('REGISTRY_ONLY'), 'block_all');
});

test('a table is shared while a proxy has it, and forgotten after the last one', async (t) => {
  const generator = createRouteGenerator(ENCODER, SETTINGS);
  const context = buildContext({ services: [buildService()] });
  const tableFor = (dnsDomain: string) =>
    generator.generate(context, generator.scope(context, buildProxy({ dnsDomain })), '80');
  const kept = tableFor('kept.svc.cluster.local');
  const passing = Array.from({ length: 100 }, (_, index) => {
    const table = tableFor(`d${index}.example.com`);
    return table && new WeakRef(table);
  });
  await eventually('they are given back', () => {
    collectGarbage();
    return passing.every((table) => table?.deref() === undefined);
  });
  t.is(tableFor('kept.svc.cluster.local'), kept);
});
