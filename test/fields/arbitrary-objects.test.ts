import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import type { MeshObject } from '../../src/config/object.js';
import type { PushContext } from '../../src/model/push-context.js';
import { analysisInputOf } from '../../src/status/analysis/analysis-input.js';
import { analyze } from '../../src/status/analysis/analyze.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { projectRoot } from '../counterparts/project-root.js';
import { validateWithEnvoy } from '../generators/envoy-verdict.js';
import { readGoldenCase } from '../generators/golden-case.js';
import { createGoldenGenerators } from '../generators/golden-runner.js';
import { ENCODER } from '../generators/served-resources.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import fc from '../support/property-testing.js';
import { arbitrarySpec } from './arbitrary-spec.js';
import { repair } from './repair.js';
import { type CertificateFiles, valuePools } from './value-pools.js';

/** More with ARBITRARY_OBJECTS=10000. */
const OBJECTS = Number(process.env['ARBITRARY_OBJECTS'] ?? 200);
/** Other objects with ARBITRARY_SEED=2. The same ones in each run otherwise, so that no change fails by chance. */
const SEED = Number(process.env['ARBITRARY_SEED'] ?? 1);
/** Of the accepted objects, in one mesh and one configuration of Envoy. */
const OBJECTS_OF_A_MESH = 25;
const MESHES_FOR_ENVOY = Math.max(1, Math.min(20, Math.floor(OBJECTS / 200)));

const KINDS = [
  'AuthorizationPolicy',
  'DestinationRule',
  'EnvoyFilter',
  'Gateway',
  'PeerAuthentication',
  'RequestAuthentication',
  'ServiceEntry',
  'Sidecar',
  'VirtualService',
  'WorkloadEntry',
];

const MESH = readFileSync(join(projectRoot(), 'test/fields/mesh.yaml'), 'utf8');
const registry = createKindRegistry('mesh.internal');

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);

const folder = mkdtempSync(join(tmpdir(), 'navigator-arbitrary-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
const FILES = certificateFiles();

function certificateFiles(): CertificateFiles {
  const authority = createTestAuthority('outside');
  const { certificate, key } = authority.issue({ dnsNames: ['client.example.com'] });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    certificate: write('certificate.pem', certificate),
    key: write('key.pem', key),
    roots: write('roots.pem', authority.certificate),
  };
}

/** Objects of a kind that admission accepts, made by removing what it refuses from arbitrary ones. */
function acceptedObjects(kind: string, count: number): readonly MeshObject[] {
  const definition = registry.definitions.find((each) => each.kind === kind);
  if (definition === undefined) throw new Error(`no kind ${kind}`);
  const read = (object: unknown) => registry.read(object, { defaultNamespace: 'default' });
  const specs = fc.sample(arbitrarySpec(definition.schema, valuePools(FILES)), { numRuns: count, seed: SEED });
  return specs.flatMap((spec, index) => {
    const metadata = { name: `o${index}`, namespace: ['default', 'shop', 'mesh-system'][index % 3] };
    const object = { apiVersion: `${definition.group}/${definition.versions[0]}`, kind, metadata, spec };
    const repaired = repair(object, read);
    const result = repaired && read(repaired);
    return result?.type === 'object' ? [result.object] : [];
  });
}

for (const kind of KINDS) {
  test(`nothing fails for arbitrary ${kind} objects, and Envoy takes what is sent for the accepted ones`, async (t) => {
    const accepted = acceptedObjects(kind, OBJECTS);
    t.log(`${accepted.length} of ${OBJECTS} accepted`);
    t.true(accepted.length > OBJECTS / 10);
    let meshes = 0;
    for (let first = 0; first < accepted.length; first += OBJECTS_OF_A_MESH) {
      const objects = accepted.slice(first, first + OBJECTS_OF_A_MESH);
      const golden = readGoldenCase(kind, MESH);
      const generate = createGoldenGenerators(golden);
      const context = golden.change('upsert', objects);
      t.deepEqual(failedAnalyzers(context), []);
      const served = [...golden.proxies.values()].map((proxy) => generate(context, proxy));
      meshes += 1;
      if ('missing' in envoy || meshes > MESHES_FOR_ENVOY) continue;
      for (const resources of served) {
        await t.notThrowsAsync(validateWithEnvoy(envoy.value, ENCODER, resources), JSON.stringify(objects));
      }
    }
  });
}

/** The messages about analyzers that fail. */
function failedAnalyzers(context: PushContext): readonly string[] {
  const enforcement = { isPluginOn: true, limitedQuotas: undefined, areDelegatesOn: true };
  return analyze(analysisInputOf(context, enforcement)).flatMap(({ code, message }) =>
    code === 'MESH0001' ? [message] : [],
  );
}

/** What routes and configures traffic: objects of these meet at the same hosts, ports and routers. */
const MEETING_KINDS = ['VirtualService', 'DestinationRule', 'Gateway', 'Sidecar', 'ServiceEntry'];

test('Envoy takes what is sent for accepted objects of several kinds together', async (t) => {
  const perKind = MEETING_KINDS.map((kind) => acceptedObjects(kind, OBJECTS));
  let meshes = 0;
  for (let first = 0; perKind.some((objects) => first < objects.length); first += OBJECTS_OF_A_MESH) {
    const objects = perKind.flatMap((accepted) => accepted.slice(first, first + OBJECTS_OF_A_MESH));
    const golden = readGoldenCase('together', MESH);
    const generate = createGoldenGenerators(golden);
    const context = golden.change('upsert', objects);
    t.deepEqual(failedAnalyzers(context), []);
    const served = [...golden.proxies.values()].map((proxy) => generate(context, proxy));
    meshes += 1;
    if ('missing' in envoy || meshes > MESHES_FOR_ENVOY) continue;
    for (const resources of served) {
      for (const { name, count } of repeatedNames(resources.listeners)) t.fail(`${count} listeners ${name}`);
      await t.notThrowsAsync(validateWithEnvoy(envoy.value, ENCODER, resources), JSON.stringify(objects));
    }
  }
});

function repeatedNames(resources: readonly { readonly name: string }[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { name } of resources) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count > 1 ? [{ name, count }] : []));
}
