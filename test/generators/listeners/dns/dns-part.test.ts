import test from 'ava';
import type { Json } from '../../../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../../../src/generators/listeners/listener-generator.js';
import { buildContext, buildEndpoints, buildProxy, buildService, type ContextParts } from '../../context-builder.js';
import { SETTINGS } from '../../default-settings.js';
import { at, ENCODER, generateAll, toJson } from '../../served-resources.js';

const generator = createListenerGenerator(ENCODER, SETTINGS);

/** Answers by name; undefined without a DNS listener. */
function tableOf(parts: ContextParts, namespace = 'default', dnsCapture = true): Record<string, unknown> | undefined {
  const proxy = buildProxy({ configNamespace: namespace }, { dnsCapture });
  const listener = generateAll(generator, buildContext(parts), proxy).resources.find(({ name }) => name === 'dns');
  if (listener === undefined) return undefined;
  const domains = at(toJson(listener), 'listenerFilters.0.typedConfig.serverConfig.inlineDnsTable.virtualDomains');
  return Object.fromEntries(
    ((domains ?? []) as Json[]).map((domain) => [at(domain, 'name'), at(domain, 'endpoint.addressList.address')]),
  );
}

test('the dns listener exists for proxies that capture DNS alone, on UDP 15013', (t) => {
  t.is(tableOf({ services: [buildService()] }, 'default', false), undefined);
  const { resources } = generateAll(generator, buildContext(), buildProxy({}, { dnsCapture: true }));
  const listener = resources.find(({ name }) => name === 'dns');
  t.deepEqual(listener && at(toJson(listener), 'address.socketAddress'), {
    protocol: 'UDP',
    address: '0.0.0.0',
    portValue: 15013,
  });
});

test('a service answers to its host and name.namespace, and to its bare name in its own namespace', (t) => {
  const parts = { services: [buildService()] };
  t.deepEqual(tableOf(parts), {
    'web.default.svc.cluster.local': ['10.96.0.1'],
    'web.default': ['10.96.0.1'],
    web: ['10.96.0.1'],
  });
  t.deepEqual(Object.keys(tableOf(parts, 'other') ?? {}), ['web.default.svc.cluster.local', 'web.default']);
});

test('a ServiceEntry answers to its host alone, with its addresses or the one made up for it', (t) => {
  const entry = { registry: 'External', addresses: [], autoAddress: '240.240.0.1', resolution: 'dns' } as const;
  const services = [
    buildService({ ...entry, hostname: 'api.example.com' }),
    buildService({ ...entry, hostname: 'fixed.example.com', addresses: ['192.0.2.1', '192.0.2.0/24'] }),
    buildService({ ...entry, hostname: '*.wild.example.com' }),
    buildService({ ...entry, hostname: 'kept.example.com', resolution: 'passthrough' }),
  ];
  t.deepEqual(tableOf({ services }), { 'api.example.com': ['240.240.0.1'], 'fixed.example.com': ['192.0.2.1'] });
});

test('a headless service answers with the addresses of its endpoints, as they come and go', (t) => {
  const service = buildService({ addresses: [], headless: true, resolution: 'passthrough' });
  const answerWith = (addresses: readonly string[]) => {
    const endpoints = [
      buildEndpoints(
        service,
        addresses.map((address) => ({ address })),
      ),
    ];
    return tableOf({ services: [service], endpoints })?.['web'];
  };
  t.deepEqual(answerWith(['10.0.0.2', '10.0.0.1']), ['10.0.0.1', '10.0.0.2']);
  t.deepEqual(answerWith(['10.0.0.3']), ['10.0.0.3']);
  t.is(answerWith([]), undefined);
});

test('each pod with a host name has names below those of its headless service', (t) => {
  const service = buildService({ addresses: [], headless: true, resolution: 'passthrough' });
  const endpoints = [buildEndpoints(service, [{ address: '10.0.0.1', hostname: 'web-0' }, { address: '10.0.0.2' }])];
  const both = ['10.0.0.1', '10.0.0.2'];
  t.deepEqual(tableOf({ services: [service], endpoints }), {
    'web.default.svc.cluster.local': both,
    'web.default': both,
    web: both,
    'web-0.web.default.svc.cluster.local': ['10.0.0.1'],
    'web-0.web.default': ['10.0.0.1'],
    'web-0.web': ['10.0.0.1'],
  });
});

test('a service that moves to another address answers with that one, though its endpoints stay the same', (t) => {
  const before = buildService();
  const endpoints = [buildEndpoints(before, [{}])];
  const answer = (service: typeof before) => tableOf({ services: [service], endpoints })?.['web'];
  t.deepEqual(answer(before), ['10.96.0.1']);
  t.deepEqual(answer({ ...before, addresses: ['10.96.0.2'] }), ['10.96.0.2']);
});

test('of headless services that claim one host, each namespace is answered with the pods of its own', (t) => {
  const web = { hostname: 'web.example.com', addresses: [], headless: true, resolution: 'passthrough' } as const;
  const [others, own] = [buildService({ ...web, namespace: 'a' }), buildService({ ...web, namespace: 'b' })];
  const parts = {
    services: [others],
    shadowed: [own],
    endpoints: [buildEndpoints(others, [{}]), buildEndpoints(own, [{ address: '10.0.0.2' }])],
    views: { b: { id: 'b', services: [own] } },
  };
  t.deepEqual(tableOf(parts, 'a')?.['web.example.com'], ['10.0.0.1']);
  t.deepEqual(tableOf(parts, 'b')?.['web.example.com'], ['10.0.0.2']);
});

test('a name that two services claim is answered for the older one', (t) => {
  const services = [
    buildService(),
    buildService({ registry: 'External', hostname: 'WEB.default', addresses: ['192.0.2.1'] }),
  ];
  t.deepEqual(tableOf({ services })?.['web.default'], ['10.96.0.1']);
});
