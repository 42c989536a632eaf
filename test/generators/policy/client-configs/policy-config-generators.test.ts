import test from 'ava';
import type { EncodedResource } from '../../../../src/envoy/encoded-resource.js';
import type { WildcardGenerator } from '../../../../src/generators/generator.js';
import { createPolicyConfigGenerators } from '../../../../src/generators/policy/client-configs/policy-config-generators.js';
import type { Proxy, ServiceTarget } from '../../../../src/model/proxy.js';
import type { PushContext } from '../../../../src/model/push-context.js';
import type { Service } from '../../../../src/model/service.js';
import { POLICY_TYPE_URLS } from '../../../../src/policy/wire/call-metadata.js';
import { readObject } from '../../../config/support/read-yaml.js';
import { EVERYTHING_ON, meshWith } from '../../../model/policy/mesh-with.js';
import { pushRequest } from '../../../support/push-requests.js';
import { buildContext, buildPort, buildProxy, buildService, type ContextParts } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { ENCODER, generateAll } from '../../served-resources.js';

type ConfigType = keyof typeof POLICY_TYPE_URLS;

const ON = meshWith(EVERYTHING_ON);
const WEB = buildService({
  name: 'web',
  ports: [buildPort(), buildPort({ name: 'tcp', number: 9000, protocol: 'tcp' })],
});
const CART = buildService({ name: 'cart' });

function generators(): (type: ConfigType) => WildcardGenerator {
  const all = createPolicyConfigGenerators(ENCODER, SETTINGS, 'legacy');
  return (type) => all.find(({ typeUrl }) => typeUrl === POLICY_TYPE_URLS[type]) as WildcardGenerator;
}

/** A snapshot with policies: QuotaSpec and binding by name, quota and host. */
function contextWith(
  parts: ContextParts,
  policies: readonly { name: string; quota: string; host: string }[],
): PushContext {
  const read = (kind: string, name: string, spec: string) =>
    readObject(
      `{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: {name: ${name}, namespace: default}, spec: ${spec}}`,
    );
  const specs = policies.map(({ name, quota }) => read('QuotaSpec', name, `{rules: [{quotas: [{quota: ${quota}}]}]}`));
  const bindings = policies.map(({ name, host }) =>
    read('QuotaSpecBinding', name, `{services: [{service: "${host}"}], quotaSpecs: [{name: ${name}}]}`),
  );
  const table = (objects: readonly (typeof specs)[number][]) =>
    new Map(objects.map((object) => [`${object.kind}/default/${object.metadata.name}`, object] as const));
  const objects = new Map([
    ['QuotaSpec', table(specs)],
    ['QuotaSpecBinding', table(bindings)],
  ]);
  return { ...buildContext({ mesh: ON, ...parts }), objects } as PushContext;
}

function served(
  generator: WildcardGenerator,
  context: PushContext,
  proxy: Proxy = buildProxy(),
): Map<string, EncodedResource> {
  return new Map(generateAll(generator, context, proxy).resources.map((resource) => [resource.name, resource]));
}

function keysOf(generator: WildcardGenerator, context: PushContext, proxy: Proxy): readonly (string | undefined)[] {
  return generator.parts.map((part) => part.scope(context, proxy)?.key);
}

test('an inactive plugin serves nothing', (t) => {
  const of = generators();
  const context = buildContext({ services: [WEB] });
  for (const type of ['httpClientConfig', 'tcpClientConfig', 'serviceConfig'] as const) {
    t.deepEqual([...served(of(type), context).keys()], [], type);
  }
});

test('every client gets a ServiceConfig for every service of the mesh', (t) => {
  const of = generators();
  const hidden = buildService({ name: 'hidden', exportTo: ['.'] });
  const context = buildContext({
    mesh: ON,
    services: [WEB, CART, hidden],
    views: { default: { id: 'few', services: [CART] } },
  });
  const names = [CART, hidden, WEB].map(({ hostname }) => hostname);
  t.deepEqual([...served(of('serviceConfig'), context).keys()], names);
  t.deepEqual([...served(of('serviceConfig'), context, buildProxy({ type: 'router' })).keys()], names);
});

test('a proxy that has proven to be a workload gets the ServiceConfigs of its own namespace', (t) => {
  const of = generators();
  const ledger = buildService({ name: 'ledger', namespace: 'bank', hostname: 'ledger.bank.svc.cluster.local' });
  const context = buildContext({ mesh: ON, services: [WEB, ledger] });
  const names = (proxy: Proxy) => [...served(of('serviceConfig'), context, proxy).keys()];
  t.deepEqual(names(buildProxy({ seesAllPolicies: false, configNamespace: 'bank' })), [ledger.hostname]);
  t.deepEqual(names(buildProxy({ seesAllPolicies: true, configNamespace: 'bank' })), [ledger.hostname, WEB.hostname]);
});

test('all policy servers share one scope of ServiceConfigs', (t) => {
  const of = generators();
  const context = buildContext({ mesh: ON, services: [WEB] });
  const other = buildProxy({ id: 'router~10.0.0.2~x.y~y.svc', type: 'router', configNamespace: 'y' });
  t.deepEqual(keysOf(of('serviceConfig'), context, buildProxy()), keysOf(of('serviceConfig'), context, other));
});

test('a changed QuotaSpec changes the ServiceConfigs of its services; others are the very same objects', (t) => {
  const of = generators();
  const parts = { services: [WEB, CART] };
  const policies = (quotaOfWeb: string) => [
    { name: 'a', quota: quotaOfWeb, host: WEB.hostname },
    { name: 'b', quota: 'y', host: CART.hostname },
  ];
  const before = served(of('serviceConfig'), contextWith(parts, policies('x')));
  const after = served(of('serviceConfig'), contextWith(parts, policies('z')));
  t.not(after.get(WEB.hostname)?.version, before.get(WEB.hostname)?.version);
  t.is(after.get(CART.hostname), before.get(CART.hostname));
});

test('an unchanged ServiceConfig is not encoded again', (t) => {
  const of = generators();
  const context = contextWith({ services: [WEB, CART] }, [{ name: 'a', quota: 'x', host: WEB.hostname }]);
  const before = served(of('serviceConfig'), context);
  const after = served(of('serviceConfig'), { ...context, sequence: context.sequence + 1 });
  t.is(after.get(WEB.hostname), before.get(WEB.hostname));
});

test('sidecars have HTTP clients for both sides, routers for outbound, and none without anything to call for', (t) => {
  const of = generators();
  const context = buildContext({ mesh: ON });
  t.deepEqual([...served(of('httpClientConfig'), context).keys()], ['inbound', 'outbound']);
  t.deepEqual([...served(of('httpClientConfig'), context, buildProxy({ type: 'router' })).keys()], ['outbound']);
  const serverSide = buildContext({
    mesh: meshWith({ ...EVERYTHING_ON, enableClientSidePolicyCheck: false, disableMixerHttpReports: true }),
  });
  t.deepEqual([...served(of('httpClientConfig'), serverSide).keys()], ['inbound']);
});

test("TCP clients are those of the workload's own ports and of the services in view, where bytes are passed on", (t) => {
  const of = generators();
  const sniffed = buildPort({ name: 'any', number: 7000, protocol: 'auto' });
  const dns = buildPort({ name: 'dns', number: 53, protocol: 'udp' });
  const own = buildService({ name: 'own', ports: [buildPort(), sniffed] });
  const targets: ServiceTarget[] = own.ports.map((port) => ({ service: own, port, targetPort: port.number + 1 }));
  const far = buildService({ name: 'far', ports: [dns, buildPort({ name: 'tls', number: 443, protocol: 'tls' })] });
  const context = buildContext({ mesh: ON, services: [WEB, far, own], targets });
  t.deepEqual(
    [...served(of('tcpClientConfig'), context).keys()],
    [
      'inbound|7000|any|own.default.svc.cluster.local',
      'outbound|443||far.default.svc.cluster.local',
      'outbound|7000||own.default.svc.cluster.local',
      'outbound|9000||web.default.svc.cluster.local',
    ],
  );
  const router = served(of('tcpClientConfig'), context, buildProxy({ type: 'router' }));
  t.false([...router.keys()].some((name) => name.startsWith('inbound')));
});

test('of two services or targets with one cluster the first counts', (t) => {
  const of = generators();
  const port = buildPort({ name: 'tcp', number: 9000, protocol: 'tcp' });
  const older = buildService({ name: 'older', hostname: 'db.example.com', ports: [port] });
  const younger = buildService({ name: 'younger', hostname: 'db.example.com', ports: [port] });
  const targets = [9001, 9002].map((targetPort) => ({ service: older, port, targetPort }));
  const both = served(of('tcpClientConfig'), buildContext({ mesh: ON, services: [older, younger], targets }));
  const first = served(
    of('tcpClientConfig'),
    buildContext({ mesh: ON, services: [older], targets: targets.slice(0, 1) }),
  );
  t.deepEqual(
    [...both.values()].map(({ name, version }) => [name, version]),
    [...first.values()].map(({ name, version }) => [name, version]),
  );
});

test('every fact of a proxy that is in its clients is in the scope, and no other', (t) => {
  const of = generators();
  const context = buildContext({ mesh: ON, services: [WEB] });
  const same = buildProxy({ locality: 'r/z' }, { labels: { app: 'x' }, network: 'n' });
  const others = [
    buildProxy({ id: 'sidecar~10.0.0.9~other.default~default.svc.cluster.local' }),
    buildProxy({ ipAddresses: ['10.0.0.8'] }),
    buildProxy({ configNamespace: 'y' }),
    buildProxy({ version: '2' }),
    buildProxy({}, { meshVersion: '2' }),
    buildProxy({}, { meshId: 'm' }),
    buildProxy({}, { policy: { check: 'disable' } }),
  ];
  for (const type of ['httpClientConfig', 'tcpClientConfig'] as const) {
    const key = keysOf(of(type), context, buildProxy()).join();
    t.is(keysOf(of(type), context, same).join(), key);
    for (const other of others) t.not(keysOf(of(type), context, other).join(), key);
  }
});

test('a TCP client is encoded again only when its service or its specs changed', (t) => {
  const of = generators();
  const proxy = buildProxy();
  const name = `outbound|9000||${WEB.hostname}`;
  const policies = [{ name: 'a', quota: 'x', host: WEB.hostname }];
  const first = served(of('tcpClientConfig'), contextWith({ services: [WEB] }, policies), proxy).get(name);
  const more = served(of('tcpClientConfig'), contextWith({ services: [WEB, CART] }, policies), proxy).get(name);
  t.is(more, first);
  const changed = [{ name: 'a', quota: 'z', host: WEB.hostname }];
  const next = served(of('tcpClientConfig'), contextWith({ services: [WEB, CART] }, changed), proxy).get(name);
  t.not(next?.version, first?.version);
  const renamed: Service = { ...WEB, name: 'renamed' };
  const last = served(of('tcpClientConfig'), contextWith({ services: [renamed] }, changed), proxy).get(name);
  t.not(last?.version, next?.version);
});

const AFFECTED = [
  ['QuotaSpec', false, true, true],
  ['QuotaSpecBinding', true, true, true],
  ['HTTPAPISpec', false, true, true],
  ['HTTPAPISpecBinding', true, true, true],
  ['Service', false, true, true],
  ['ServiceEntry', false, true, true],
  ['Pod', false, false, false],
  ['EndpointSlice', false, false, false],
  ['VirtualService', false, false, false],
] as const;

for (const [kind, http, tcp, service] of AFFECTED) {
  test(`a changed ${kind} concerns exactly the clients that are made of it`, (t) => {
    const of = generators();
    const request = pushRequest({ changed: new Set([`${kind}/default/x`]) });
    t.is(of('httpClientConfig').affectedBy(request, 'sidecar'), http);
    t.is(of('tcpClientConfig').affectedBy(request, 'sidecar'), tcp);
    t.is(of('serviceConfig').affectedBy(request, 'router'), service);
  });
}

test('a changed mesh config concerns all clients, changed endpoints none', (t) => {
  const of = generators();
  for (const type of ['httpClientConfig', 'tcpClientConfig', 'serviceConfig'] as const) {
    t.true(of(type).affectedBy(pushRequest({ changed: 'everything' }), 'sidecar'));
    t.false(of(type).affectedBy(pushRequest({ full: false, endpoints: new Set([WEB.hostname]) }), 'sidecar'));
  }
});
