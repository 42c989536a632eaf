import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import type { MeshObject } from '../../src/config/object.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { projectRoot } from '../counterparts/project-root.js';
import { validateWithEnvoy } from '../generators/envoy-verdict.js';
import { readGoldenCase } from '../generators/golden-case.js';
import { createGoldenGenerators } from '../generators/golden-runner.js';
import { ENCODER } from '../generators/served-resources.js';
import fc from '../support/property-testing.js';

/** More with ARBITRARY_OBJECTS=10000. */
const OBJECTS = Number(process.env['ARBITRARY_OBJECTS'] ?? 200);
const OBJECTS_OF_A_MESH = 10;
const MESHES_FOR_ENVOY = Math.max(1, Math.min(20, Math.floor(OBJECTS / 200)));
/** Other objects with ARBITRARY_SEED=2. The same ones in each run otherwise, so that no change fails by chance. */
const SEED = Number(process.env['ARBITRARY_SEED'] ?? 7);

const MESH = readFileSync(join(projectRoot(), 'test/fields/mesh.yaml'), 'utf8');
const registry = createKindRegistry('mesh.internal');
const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);

const typed = (type: string, fields: object = {}) => ({ '@type': `type.googleapis.com/envoy.${type}`, ...fields });
const BUFFER = { name: 'b', typed_config: typed('extensions.filters.http.buffer.v3.Buffer', { max_request_bytes: 9 }) };
const ROUTER = { name: 'r', typed_config: typed('extensions.filters.http.router.v3.Router') };
const ECHO = { name: 'e', typed_config: typed('extensions.filters.network.echo.v3.Echo') };
const LIMIT = {
  name: 'l',
  typed_config: typed('extensions.filters.network.connection_limit.v3.ConnectionLimit', {
    stat_prefix: 'l',
    max_connections: 9,
  }),
};
const GONE = { match: { prefix: '/' }, direct_response: { status: 410 } };

/** Values for each part, some of which admission refuses or a patch cannot have. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  LISTENER: [
    { per_connection_buffer_limit_bytes: 4096 },
    { filter_chains: [{ filters: [ECHO] }] },
    { name: 'other' },
    {
      name: 'added',
      address: { socket_address: { address: '127.0.0.1', port_value: 9 } },
      filter_chains: [{ filters: [ECHO] }],
    },
  ],
  FILTER_CHAIN: [
    { filters: [ECHO] },
    { filters: [LIMIT] },
    { filter_chain_match: { destination_port: 9 }, filters: [ECHO] },
    { name: 'n' },
  ],
  NETWORK_FILTER: [LIMIT, ECHO, { name: 'renamed' }],
  HTTP_FILTER: [BUFFER, ROUTER, { is_optional: true }, { name: 'x' }],
  ROUTE_CONFIGURATION: [{ internal_only_headers: ['x-a'] }, { virtual_hosts: [{ name: 'v', domains: ['*'] }] }],
  VIRTUAL_HOST: [
    { name: 'v', domains: ['v.example.com'], routes: [GONE] },
    { name: 'w', domains: ['*'] },
    { domains: ['x'] },
  ],
  HTTP_ROUTE: [GONE, { name: 'n' }, { redirect: { path_redirect: '/' } }, { route: { timeout: '1s' } }],
  CLUSTER: [
    { connect_timeout: '1s' },
    { name: 'c', type: 'STATIC' },
    { type: 'EDS' },
    { lb_policy: 'MAGLEV' },
    { load_assignment: { cluster_name: 'x' } },
  ],
};
const OPERATIONS = ['MERGE', 'ADD', 'REMOVE', 'INSERT_BEFORE', 'INSERT_AFTER', 'INSERT_FIRST'];
const NAMES = [
  'envoy.filters.http.router',
  'envoy.filters.http.cors',
  'envoy.filters.network.tcp_proxy',
  'b',
  'virtualInbound',
];

const name = fc.option(fc.constantFrom(...NAMES), { nil: undefined });
const patch = fc.constantFrom(...Object.keys(VALUES)).chain((applyTo) =>
  fc.record({
    applyTo: fc.constant(applyTo),
    match: fc.record({
      context: fc.constantFrom('ANY', 'SIDECAR_INBOUND', 'SIDECAR_OUTBOUND', 'GATEWAY'),
      details: fc.record({
        portNumber: fc.option(fc.constantFrom(80, 8080, 443, 15006), { nil: undefined }),
        name,
        subName: name,
      }),
    }),
    operation: fc.constantFrom(...OPERATIONS),
    value: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...(VALUES[applyTo] ?? [])) },
      fc.jsonValue({ maxDepth: 4 }),
    ),
  }),
);
type Arbitrary = typeof patch extends fc.Arbitrary<infer Value> ? Value : never;

function patchOf({ applyTo, match: { context, details }, operation, value }: Arbitrary): object {
  const { portNumber, name: filterName, subName } = details;
  const subFilter = applyTo === 'HTTP_FILTER' && subName !== undefined ? { subFilter: { name: subName } } : {};
  const filter = { ...(filterName === undefined ? {} : { name: filterName }), ...subFilter };
  const isOfListener = ['LISTENER', 'FILTER_CHAIN', 'NETWORK_FILTER', 'HTTP_FILTER'].includes(applyTo);
  const port = portNumber === undefined ? {} : { portNumber };
  const match = isOfListener
    ? { listener: { ...port, ...(Object.keys(filter).length === 0 ? {} : { filterChain: { filter } }) } }
    : applyTo === 'CLUSTER'
      ? { cluster: port }
      : { routeConfiguration: port };
  return { applyTo, match: { context, ...match }, patch: { operation, ...(operation === 'REMOVE' ? {} : { value }) } };
}

test('nothing fails for arbitrary EnvoyFilters, and Envoy takes what is sent for the accepted ones', async (t) => {
  const specs = fc.sample(fc.array(patch, { minLength: 1, maxLength: 4 }), { numRuns: OBJECTS, seed: SEED });
  const accepted = specs.flatMap((patches, index): MeshObject[] => {
    const metadata = { name: `o${index}`, namespace: ['default', 'shop', 'mesh-system'][index % 3] };
    const object = { apiVersion: 'networking.mesh.internal/v1beta1', kind: 'EnvoyFilter', metadata };
    const result = registry.read(
      { ...object, spec: { configPatches: patches.map(patchOf) } },
      { defaultNamespace: 'default' },
    );
    return result.type === 'object' ? [result.object] : [];
  });
  t.log(`${accepted.length} of ${OBJECTS} accepted`);
  t.true(accepted.length > OBJECTS / 20);
  let meshes = 0;
  for (let first = 0; first < accepted.length; first += OBJECTS_OF_A_MESH) {
    const objects = accepted.slice(first, first + OBJECTS_OF_A_MESH);
    const golden = readGoldenCase('EnvoyFilter', MESH);
    const generate = createGoldenGenerators(golden);
    const context = golden.change('upsert', objects);
    const served = [...golden.proxies.values()].map((proxy) => generate(context, proxy));
    meshes += 1;
    if ('missing' in envoy || meshes > MESHES_FOR_ENVOY) continue;
    for (const resources of served) {
      await t.notThrowsAsync(
        validateWithEnvoy(envoy.value, ENCODER, resources),
        JSON.stringify(objects.map(({ body }) => body)),
      );
    }
  }
});
