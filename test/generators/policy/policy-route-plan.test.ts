import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { createPolicyPlugin } from '../../../src/generators/policy/policy-plugin.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import type { ProxyMetadata } from '../../../src/model/proxy.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, CONFIG_ENCODER, ENCODER, toJson } from '../served-resources.js';
import { buildBinding, EMBEDDED, policyContext, SERVERS } from './policy-context.js';

const web = buildService();
const external = buildService({ hostname: 'api.example.com', name: 'api', meshExternal: true, addresses: [] });
const BINDING = buildBinding('QuotaSpecBinding', { name: 'web' });
const CHECKING = { enableClientSidePolicyCheck: true };

const newGenerator = () =>
  createRouteGenerator(ENCODER, SETTINGS, [createPolicyPlugin(ENCODER, CONFIG_ENCODER, SETTINGS)]);
const contextOf = (policy: Partial<PolicyMeshConfig>, objects: readonly MeshObject[] = [BINDING]) =>
  policyContext(policy, { services: [web, external] }, objects);

/** The route of each virtual host of table 80, by the host's name. */
function routesOf(
  policy: Partial<PolicyMeshConfig>,
  { objects = [BINDING], metadata = {} }: { objects?: readonly MeshObject[]; metadata?: Partial<ProxyMetadata> } = {},
): ReadonlyMap<string, Json | undefined> {
  const generator = newGenerator();
  const context = contextOf(policy, objects);
  const table = generator.generate(context, generator.scope(context, buildProxy({}, metadata)), '80');
  const hosts = (table === undefined ? [] : at(toJson(table), 'virtualHosts')) as Json[];
  return new Map(hosts.map((host) => [String(at(host, 'name')), at(host, 'routes.0')]));
}

const forwarded = (route: Json | undefined) => at(route, 'requestHeadersToAdd.0.header');
const withheld = (route: Json | undefined) => at(route, 'requestHeadersToRemove.0');
const checkOf = (route: Json | undefined) => {
  const filters = at(route, 'typedPerFilterConfig') as Record<string, Json> | undefined;
  return filters?.['policy|outbound'];
};

test('routes are as they are without the plugin while it is inactive', (t) => {
  const plain = createRouteGenerator(ENCODER, SETTINGS);
  const context = contextOf({});
  const [first, second] = [plain, newGenerator()].map((generator) => {
    const scope = generator.scope(context, buildProxy());
    return generator.generate(context, scope, '80')?.version;
  });
  t.is(first, second);
});

test('a route adds the attributes of its service to the forwarded ones', (t) => {
  const header = forwarded(routesOf(EMBEDDED).get('web.default.svc.cluster.local:80'));
  t.is(at(header, 'key'), 'x-mesh-attributes');
  const attributes = Buffer.from(String(at(header, 'value')), 'base64').toString('latin1');
  for (const text of ['destination.service.host', web.hostname, 'mesh://default/services/web']) {
    t.true(attributes.includes(text), text);
  }
});

test('services outside of the mesh, and unknown services, get no attributes of the mesh', (t) => {
  const routes = routesOf(EMBEDDED);
  for (const host of ['api.example.com:80', 'allow_any']) {
    t.is(withheld(routes.get(host)), 'x-mesh-attributes', host);
    t.is(forwarded(routes.get(host)), undefined, host);
  }
  t.is(withheld(routes.get('web.default.svc.cluster.local:80')), undefined);
});

test('only outbound checks get the service of the route', (t) => {
  const host = 'web.default.svc.cluster.local:80';
  t.is(checkOf(routesOf(SERVERS).get(host)), undefined);
  const check = checkOf(routesOf({ ...SERVERS, ...CHECKING }).get(host));
  t.deepEqual(at(check, 'checkSettings'), { contextExtensions: { 'destination.service.host': web.hostname } });
  t.truthy(checkOf(routesOf(SERVERS, { metadata: { policy: { check: 'enable' } } }).get(host)));
  t.is(
    checkOf(routesOf({ ...SERVERS, ...CHECKING }, { metadata: { policy: { check: 'disable' } } }).get(host)),
    undefined,
  );
});

test('traffic without a service is not checked, and the embedded server does not check services without a policy', (t) => {
  const servers = routesOf({ ...SERVERS, ...CHECKING });
  t.is(at(checkOf(servers.get('allow_any')), 'disabled'), true);
  t.truthy(at(checkOf(servers.get('api.example.com:80')), 'checkSettings'));
  const embedded = routesOf({ ...EMBEDDED, ...CHECKING });
  t.is(at(checkOf(embedded.get('api.example.com:80')), 'disabled'), true);
  t.truthy(at(checkOf(embedded.get('web.default.svc.cluster.local:80')), 'checkSettings'));
});

test('the policy server itself is not checked', (t) => {
  const policy = { ...SERVERS, ...CHECKING, mixerCheckServer: `${web.hostname}:80` };
  t.is(at(checkOf(routesOf(policy).get('web.default.svc.cluster.local:80')), 'disabled'), true);
});

test('proxies that check have tables of their own, all others share theirs', (t) => {
  const generator = newGenerator();
  const context = contextOf(EMBEDDED);
  const key = (metadata: Partial<ProxyMetadata>) => generator.scope(context, buildProxy({}, metadata)).key;
  t.not(key({}), key({ policy: { check: 'enable' } }));
  t.is(key({}), key({ policy: { check: 'disable', checkRetries: 3 } }));
  t.is(key({}), key({ meshId: 'other', http10: true }));
});

test('a binding is seen in tables that were made before, with the same services', (t) => {
  const generator = newGenerator();
  const without = contextOf({ ...EMBEDDED, ...CHECKING }, []);
  const bound = { ...contextOf({ ...EMBEDDED, ...CHECKING }), mesh: without.mesh };
  const versions = [without, bound, { ...without }].map(
    (context) => generator.generate(context, generator.scope(context, buildProxy()), '80')?.version,
  );
  t.not(versions[0], versions[1]);
  t.is(versions[0], versions[2]);
});

test('bindings concern routes where the embedded server checks, and specs never do', (t) => {
  const generator = newGenerator();
  const changed = (kind: string) => pushRequest({ changed: new Set([`${kind}/default/it`]) });
  for (const kind of ['QuotaSpecBinding', 'HTTPAPISpecBinding']) {
    t.true(generator.affectedBy(changed(kind), 'sidecar', contextOf(EMBEDDED)));
    t.true(generator.affectedBy(changed(kind), 'sidecar'));
    t.false(generator.affectedBy(changed(kind), 'sidecar', contextOf(SERVERS)));
    t.false(generator.affectedBy(changed(kind), 'sidecar', contextOf({})));
    t.false(generator.affectedBy(changed(kind), 'router', contextOf(EMBEDDED)));
  }
  for (const kind of ['QuotaSpec', 'HTTPAPISpec']) {
    t.false(generator.affectedBy(changed(kind), 'sidecar', contextOf(EMBEDDED)));
  }
});

test('a route to a service with a fail policy of its own is checked by the filter that has it, and by no other', (t) => {
  const close = buildService({ failPolicy: { policy: 'FAIL_CLOSE', maxRetry: 2 } });
  const context = policyContext({ ...SERVERS, ...CHECKING }, { services: [close, external] }, [BINDING]);
  const generator = newGenerator();
  const table = generator.generate(context, generator.scope(context, buildProxy()), '80');
  const hosts = (table === undefined ? [] : at(toJson(table), 'virtualHosts')) as Json[];
  const enabledFor = (name: string) => {
    const host = hosts.find((each) => at(each, 'name') === name);
    const filters = at(at(host ?? null, 'routes.0'), 'typedPerFilterConfig') as Record<string, Json>;
    return Object.keys(filters).filter((filter) => at(filters[filter], 'checkSettings') !== undefined);
  };
  // Listeners that were made before the first such service are drained with the check without a slot.
  t.deepEqual(enabledFor(`${close.hostname}:80`), ['policy|outbound', 'policy|outbound|1']);
  t.deepEqual(enabledFor('api.example.com:80'), ['policy|outbound', 'policy|outbound|0']);
  t.deepEqual(enabledFor('allow_any'), []);
});
