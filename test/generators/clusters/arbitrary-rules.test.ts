import test from 'ava';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import { createEndpointGenerator } from '../../../src/generators/endpoints/endpoint-generator.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import { createRouteGenerator } from '../../../src/generators/routes/route-generator.js';
import { readYaml } from '../../config/support/read-yaml.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import fc from '../../support/property-testing.js';
import { buildContext, buildEndpoints, buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { validateWithEnvoy } from '../envoy-verdict.js';
import { ENCODER, generateAll } from '../served-resources.js';
import { arbitraryRule } from './arbitrary-rule.js';

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const testWithEnvoy = 'value' in envoy ? test : test.skip;

const PORTS = [buildPort(), buildPort({ number: 81, name: 'tcp', protocol: 'tcp' })];
const ENDPOINTS = ['north/a', 'south/b/1', ''].map((locality, at) => ({ address: `10.0.1.${at}`, locality }));

function read(name: string, spec: object) {
  const apiVersion = 'networking.mesh.internal/v1beta1';
  const metadata = { name, namespace: 'default' };
  return readYaml(JSON.stringify({ apiVersion, kind: 'DestinationRule', metadata, spec: { host: name, ...spec } }));
}

for (const type of ['sidecar', 'router'] as const) {
  testWithEnvoy(`Envoy accepts what a ${type} gets for each of 300 rules that validation accepts`, async (t) => {
    const accepted = fc.sample(arbitraryRule, { numRuns: 1500, seed: 14 }).flatMap((spec, at) => {
      const result = read(`s${at}`, spec);
      return result.type === 'object' ? [result.object] : [];
    });
    t.true(accepted.length > 300, String(accepted.length));
    const destinationRules = accepted.slice(0, 300);
    const services = destinationRules.map(({ metadata: { name } }, at) =>
      buildService({ name, addresses: [`10.96.${Math.floor(at / 250)}.${at % 250}`], ports: PORTS }),
    );
    const endpoints = services.map((service) => buildEndpoints(service, ENDPOINTS));
    const context = buildContext({ services, endpoints, destinationRules });
    const proxy = buildProxy({ type, locality: 'north/a', hasSecrets: true });
    const clusters = generateAll(createClusterGenerator(ENCODER, SETTINGS), context, proxy).resources;
    const listeners = generateAll(createListenerGenerator(ENCODER, SETTINGS), context, proxy).resources;
    const routeGenerator = createRouteGenerator(ENCODER, SETTINGS);
    const routes = routeGenerator.generate(context, routeGenerator.scope(context, proxy), '80');
    const assignments = createEndpointGenerator(ENCODER);
    const scope = assignments.scope(context, proxy);
    for (const { name } of clusters) t.truthy(assignments.generate(context, scope, name));
    t.true(clusters.length > 600);
    const binary = 'value' in envoy ? envoy.value : '';
    const served = { clusters, listeners, routes: routes === undefined ? [] : [routes] };
    await t.notThrowsAsync(validateWithEnvoy(binary, ENCODER, served));
  });
}
