import test from 'ava';
import { routeAdditions } from '../../../src/generators/routes/route-additions.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import type { RoutePlugin } from '../../../src/generators/routes/route-plugin.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildContext, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const web = buildService();
const context = buildContext({ services: [web] });

/** Adds a header that names the plugin and its key, and takes one off. */
function createPlugin(name: string, fields: Partial<RoutePlugin> = {}): RoutePlugin {
  return {
    name,
    variantOf: () => name,
    keyOf: (_context, variant, service) => `${variant} ${service?.name ?? 'nobody'}`,
    fieldsFor: (_mesh, key) => ({
      requestHeadersToAdd: [{ header: { key: name, value: key } }],
      requestHeadersToRemove: [`not-${name}`],
    }),
    affectedBy: () => false,
    ...fields,
  };
}

test('without a plugin that adds anything there is nothing to ask for', (t) => {
  t.is(routeAdditions(context, [], []), undefined);
  t.is(routeAdditions(context, [createPlugin('one')], ['']), undefined);
});

test('each plugin gets back the key that it gave, in the order of the plugins', (t) => {
  const plugins = ['one', 'idle', 'two'].map((name) => createPlugin(name));
  const additions = routeAdditions(context, plugins, ['one', '', 'two']);
  const key = additions?.keyOf(web) ?? '';
  t.deepEqual(additions?.fieldsFor(key, web), {
    requestHeadersToAdd: [{ header: { key: 'one', value: 'one web' } }, { header: { key: 'two', value: 'two web' } }],
    requestHeadersToRemove: ['not-one', 'not-two'],
  });
  t.not(key, additions?.keyOf(undefined));
});

test('fields reach the routes of services and of hosts that are none', (t) => {
  const generator = createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one')]);
  const table = generator.generate(context, generator.scope(context, buildProxy()), '80');
  const json = table && toJson(table);
  t.is(at(json, 'virtualHosts.0.routes.0.requestHeadersToAdd.0.header.value'), 'one web');
  t.is(at(json, 'virtualHosts.1.routes.0.requestHeadersToAdd.0.header.value'), 'one nobody');
});

test('what a plugin reads of a proxy is in the scope, and another key makes another route', (t) => {
  const plugin = createPlugin('one', { variantOf: (_mesh, { version }) => version });
  const generator = createRouteGenerator(ENCODER, SETTINGS, [plugin]);
  const [old, young] = ['1.0', '1.40'].map((version) => generator.scope(context, buildProxy({ version })));
  if (old === undefined || young === undefined) return t.fail();
  t.not(old.key, young.key);
  const versions = [old, young, old].map((scope) => generator.generate(context, scope, '80')?.version);
  t.not(versions[0], versions[1]);
  t.is(versions[0], versions[2]);
});

test('a change concerns tables when a plugin says so, and routers never', (t) => {
  const affected = createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one', { affectedBy: () => true })]);
  const request = pushRequest({ changed: new Set(['QuotaSpecBinding/default/it']) });
  t.true(affected.affectedBy(request, 'sidecar', context));
  t.false(affected.affectedBy(request, 'router', context));
  t.false(createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one')]).affectedBy(request, 'sidecar', context));
});
