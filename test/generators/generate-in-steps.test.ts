import test from 'ava';
import type { Steps } from '../../src/base/steps.js';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { createClusterGenerator } from '../../src/generators/clusters/cluster-generator.js';
import type { WildcardGenerator } from '../../src/generators/generator.js';
import { createListenerGenerator } from '../../src/generators/listeners/listener-generator.js';
import { createPatchedGenerators } from '../../src/generators/patches/patched-generators.js';
import { createRouteGenerator } from '../../src/generators/routes/route-generator.js';
import { splitRoutes } from '../../src/generators/virtual-hosts/split-routes.js';
import { buildContext, buildPort, buildProxy, buildService } from './context-builder.js';
import { SETTINGS } from './default-settings.js';
import { ENCODER } from './served-resources.js';

const SERVICES = 1_000;
/** No more services than this are translated before a caller can pause. */
const MOST_AT_ONCE = 128;

const context = buildContext({
  services: Array.from({ length: SERVICES }, (_, index) =>
    buildService({
      name: `web-${index}`,
      hostname: `web-${index}.ns.svc.cluster.local`,
      addresses: [`10.1.${index >> 8}.${index & 255}`],
      ports: [buildPort(), buildPort({ number: 9000, name: 'tcp', protocol: 'tcp' })],
    }),
  ),
});
const proxy = { ...buildProxy(), takesVirtualHosts: true };

/** Runs a computation. @returns its result, and how often a caller could have paused */
function run<Result>(steps: Steps<Result> | undefined): { readonly result: Result; readonly pauses: number } {
  if (steps === undefined) throw new Error('it has no steps');
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, pauses };
  }
}

const versionsOf = (resources: readonly EncodedResource[]) =>
  resources.map(({ name, version }) => `${name} ${version}`);

const wildcards: readonly (readonly [string, () => WildcardGenerator])[] = [
  ['clusters', () => createClusterGenerator(ENCODER, SETTINGS)],
  ['listeners', () => createListenerGenerator(ENCODER, SETTINGS)],
];

for (const [name, create] of wildcards) {
  test(`a caller can pause while it makes the ${name} of a large mesh, and gets the same ones`, (t) => {
    const [generator] = createPatchedGenerators([create()]) as readonly [WildcardGenerator];
    const part = generator.parts.find((each) => each.name === 'outbound');
    const scope = part?.scope(context, proxy);
    if (part === undefined || scope === undefined) throw new Error('the proxy has an outbound part');
    const { result, pauses } = run(part.generateInSteps?.(context, scope));
    t.true(result.resources.length >= SERVICES);
    t.true(pauses >= SERVICES / MOST_AT_ONCE, `${pauses} pauses`);
    t.deepEqual(versionsOf(result.resources), versionsOf(part.generate(context, scope).resources));
  });
}

test('a caller can pause while it makes a large route table and its virtual hosts, and gets the same ones', (t) => {
  const generators = () => splitRoutes(createRouteGenerator(ENCODER, SETTINGS), ENCODER, SETTINGS);
  const { tables, virtualHosts } = generators();
  const scope = tables.scope(context, proxy);
  const table = run(tables.generateInSteps?.(context, scope, '80'));
  t.true(table.pauses >= (2 * SERVICES) / MOST_AT_ONCE, `${table.pauses} pauses`);
  const hosts = run(virtualHosts.generateInSteps?.(context, scope, '80'));
  t.true(hosts.result.length > SERVICES);
  t.true(hosts.pauses >= Math.floor(SERVICES / MOST_AT_ONCE), `${hosts.pauses} pauses`);
  const others = generators();
  t.is(others.tables.generate(context, scope, '80')?.version, table.result?.version);
  t.deepEqual(versionsOf(others.virtualHosts.generate(context, scope, '80')), versionsOf(hosts.result));
});
