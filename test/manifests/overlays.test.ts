import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { load, loadAll } from 'js-yaml';
import { createPolicyServerConfigReader } from '../../src/config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../src/config/schema/schema-reader.js';
import { runCommand } from '../counterparts/command.js';
import { projectRoot } from '../counterparts/project-root.js';
import { requireKubernetesAndKubectl } from './support/kubectl.js';
import { type Deployment, type ManifestDocument, readDocuments } from './support/read-documents.js';

const { available } = requireKubernetesAndKubectl();
const it = available === undefined ? test.skip : test;
const at = (...path: string[]): string => join(projectRoot(), ...path);

async function overlay(name: string): Promise<readonly ManifestDocument[]> {
  return loadAll(await runCommand(['kubectl', 'kustomize', at('overlays', name)])) as ManifestDocument[];
}

/** Kustomize breaks long texts at other places. */
const withoutFolds = (json: string): string => json.replace(/(\\n| )+/g, ' ');

const find = <Found extends ManifestDocument>(documents: readonly ManifestDocument[], kind: string, name: string) =>
  documents.find((each) => each.kind === kind && each.metadata.name === name) as Found;

test('the base of overlays has every file of manifests/', (t) => {
  const { resources } = load(readFileSync(at('manifests/Kustomization'), 'utf8')) as { resources: string[] };
  const files = readdirSync(at('manifests')).filter((file) => file.endsWith('.yaml'));
  t.deepEqual(resources.toSorted(), files.toSorted());
});

it('overlays/redis has three or more replicas, which count in its Redis', async (t) => {
  const documents = await overlay('redis');
  const meshd = find<Deployment>(documents, 'Deployment', 'meshd');
  t.like(find(documents, 'HorizontalPodAutoscaler', 'meshd'), {
    spec: { scaleTargetRef: { apiVersion: meshd.apiVersion, kind: 'Deployment', name: 'meshd' }, minReplicas: 3 },
  });
  t.is(meshd.spec.replicas, undefined, 'the autoscaler decides');
  const { env } = meshd.spec.template.spec.containers[0];
  const fields = env.find(({ name }) => name === 'NAV_POLICY_CONFIG_DEFAULTS')?.value ?? '';
  const config = createPolicyServerConfigReader(createSchemaCompiler())(load(fields));
  if (config.type === 'invalid' || config.value.storage.type !== 'redis') return t.fail(fields);
  t.deepEqual(config.warnings, []);
  const redis = find<Deployment>(documents, 'Deployment', 'redis');
  t.like(config.value.storage, { address: { host: 'redis.mesh-system.svc', port: 6379 } });
  t.like(find(documents, 'Service', 'redis'), {
    metadata: { namespace: 'mesh-system' },
    spec: { selector: redis.spec.selector.matchLabels, ports: [{ port: 6379, targetPort: 'tcp-redis' }] },
  });
  t.like(redis.spec.template.spec.containers[0].ports, [{ name: 'tcp-redis', containerPort: 6379 }]);
});

it('overlays/redis changes nothing else of manifests/', async (t) => {
  const documents = await overlay('redis');
  for (const document of readDocuments('manifests')) {
    const found = find(documents, document.kind, document.metadata.name);
    const env = JSON.stringify(found).replace(/\{"name":"NAV_POLICY_CONFIG_DEFAULTS","value":"[^"]*"\},/, '');
    t.deepEqual(JSON.parse(withoutFolds(env)), JSON.parse(withoutFolds(JSON.stringify(document))), found.metadata.name);
  }
});
