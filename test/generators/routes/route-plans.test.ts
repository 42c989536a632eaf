import test from 'ava';
import type { RoutePlugin } from '../../../src/generators/plugins/networking-plugin.js';
import { joinRoutePlans, type RoutePlan } from '../../../src/generators/plugins/route-plan.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildContext, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const web = buildService();
const context = buildContext({ services: [web] });

/** Adds a header that names the plan and the service, and takes one off. */
function createPlan(name: string): RoutePlan {
  const keyOf: RoutePlan['keyOf'] = (service) => `${name} ${service?.name ?? 'no service'}`;
  return {
    key: name,
    keyOf,
    fieldsFor: (service) => ({
      requestHeadersToAdd: [{ header: { key: name, value: keyOf(service) } }],
      requestHeadersToRemove: [`not-${name}`],
    }),
  };
}

function createPlugin(name: string, fields: Partial<RoutePlugin> = {}): RoutePlugin {
  return { planRoutes: () => createPlan(name), routesAffectedBy: () => false, ...fields };
}

test('without any plan there is nothing to ask for', (t) => {
  t.is(joinRoutePlans([]), undefined);
});

test('joined plans add their fields in the order of the plans', (t) => {
  const joined = joinRoutePlans(['one', 'two'].map(createPlan));
  t.deepEqual(joined?.fieldsFor(web), {
    requestHeadersToAdd: [{ header: { key: 'one', value: 'one web' } }, { header: { key: 'two', value: 'two web' } }],
    requestHeadersToRemove: ['not-one', 'not-two'],
  });
  t.not(joined?.keyOf(web), joined?.keyOf(undefined));
});

test('keys of joined plans cannot be taken for one another, whatever is in them', (t) => {
  const keys = [['a|b'], ['a', 'b'], ['a,b'], ['a"', 'b']].map((names) => joinRoutePlans(names.map(createPlan))?.key);
  t.is(new Set(keys).size, keys.length);
});

test('fields reach the routes of services and of hosts that are none', (t) => {
  const generator = createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one')]);
  const table = generator.generate(context, generator.scope(context, buildProxy()), '80');
  const json = table && toJson(table);
  t.is(at(json, 'virtualHosts.0.routes.0.requestHeadersToAdd.0.header.value'), 'one web');
  t.is(at(json, 'virtualHosts.1.routes.0.requestHeadersToAdd.0.header.value'), 'one no service');
});

test('the key of a plan is in the scope, and another key makes another route', (t) => {
  const plugin = createPlugin('one', { planRoutes: (_context, { version }) => createPlan(version) });
  const generator = createRouteGenerator(ENCODER, SETTINGS, [plugin]);
  const [old, young] = ['1.0', '1.40'].map((version) => generator.scope(context, buildProxy({ version })));
  if (old === undefined || young === undefined) return t.fail();
  t.not(old.key, young.key);
  const versions = [old, young, old].map((scope) => generator.generate(context, scope, '80')?.version);
  t.not(versions[0], versions[1]);
  t.is(versions[0], versions[2]);
});

test('a change concerns tables when a plugin says so, and routers never', (t) => {
  const affected = createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one', { routesAffectedBy: () => true })]);
  const request = pushRequest({ changed: new Set(['QuotaSpecBinding/default/it']) });
  t.true(affected.affectedBy(request, 'sidecar', context));
  t.false(affected.affectedBy(request, 'router', context));
  t.false(createRouteGenerator(ENCODER, SETTINGS, [createPlugin('one')]).affectedBy(request, 'sidecar', context));
});
