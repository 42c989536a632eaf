import test from 'ava';
import type { Json } from '../../src/envoy/message-json.js';
import { createListenerGenerator } from '../../src/generators/listeners/listener-generator.js';
import { createRouteGenerator } from '../../src/generators/routes/route-generator.js';
import type { Service } from '../../src/model/service.js';
import { buildContext, buildPort, buildProxy, buildService } from './context-builder.js';
import { SETTINGS } from './default-settings.js';
import { at, ENCODER, generateAll, toJson } from './served-resources.js';

const VIP = '10.96.0.1';
const OLD = '2020-01-01T00:00:00Z';
const TCP = buildPort({ name: 'tcp', protocol: 'tcp' });

/** Created last of all. */
const WEB = buildService({ addresses: [VIP], creationTimestamp: '2026-01-01T00:00:00Z' });
/** Of another namespace, and older than the Service; all come from a file, where no rule keeps them out. */
const entry = (fields: Partial<Service>): Service =>
  buildService({
    hostname: 'a.example.com',
    namespace: 'evil',
    registry: 'External',
    addresses: [],
    creationTimestamp: OLD,
    ...fields,
  });

/** As views have them: the oldest first. */
const contextOf = (...entries: readonly Service[]) => buildContext({ services: [...entries, WEB] });

function listeners(...entries: readonly Service[]): ReadonlyMap<string, Json> {
  const { resources } = generateAll(
    createListenerGenerator(ENCODER, SETTINGS),
    contextOf(...entries),
    buildProxy({}, { dnsCapture: true }),
  );
  return new Map(resources.map((resource) => [resource.name, toJson(resource)]));
}

test('a short host of an older entry does not take the domain of a Service', (t) => {
  const context = contextOf(entry({ hostname: 'web.default' }), entry({ hostname: 'web' }));
  const generator = createRouteGenerator(ENCODER, SETTINGS);
  const scope = generator.scope(context, buildProxy());
  const table = generator.generate(context, scope, '80');
  const hosts = (at(table && toJson(table), 'virtualHosts') ?? []) as Json[];
  const domains = Object.fromEntries(
    hosts.map((host) => [at(host, 'name'), at(host, 'domains') as unknown as string[]]),
  );
  const ofService = domains['web.default.svc.cluster.local:80'] ?? [];
  for (const domain of ['web', 'web.default', VIP]) t.true(ofService.includes(domain), domain);
  t.is(domains['web.default:80'], undefined);
  t.is(domains['web:80'], undefined);
});

test('the cluster IP of a Service is not the address of an older entry, on a port that the Service has or not', (t) => {
  const names = [
    ...listeners(entry({ addresses: [VIP], ports: [TCP, buildPort({ ...TCP, number: 9999, name: 'x' })] })).keys(),
  ];
  t.true(names.includes('0.0.0.0_80'), 'where HTTP of the Service is');
  t.deepEqual(
    names.filter((name) => name.startsWith(VIP)),
    [],
  );
});

test('another address of an entry has its listener', (t) => {
  t.true(listeners(entry({ addresses: ['192.0.2.1'], ports: [TCP] })).has('192.0.2.1_80'));
});

test('DNS capture answers the name of a Service with its cluster IP, not with the address of an older entry', (t) => {
  const dns = listeners(entry({ hostname: 'web.default', addresses: ['192.0.2.1'] })).get('dns');
  const domains = at(dns, 'listenerFilters.0.typedConfig.serverConfig.inlineDnsTable.virtualDomains') as Json[];
  const answers = Object.fromEntries(
    domains.map((domain) => [at(domain, 'name'), at(domain, 'endpoint.addressList.address')]),
  );
  t.deepEqual(answers['web.default'], [VIP]);
});
