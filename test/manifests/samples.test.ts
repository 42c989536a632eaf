import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { projectRoot } from '../counterparts/project-root.js';
import { createKubectl, type Kubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import { readDocuments } from './support/read-documents.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.serial.skip : test.serial;

/** Folders with objects; the other files are settings. */
const FOLDERS = readdirSync(join(projectRoot(), 'samples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readDocuments(`samples/${entry.name}`).length > 0)
  .map(({ name }) => `samples/${name}`)
  // It has the namespace of the others.
  .sort((a, b) => Number(b === 'samples/mesh') - Number(a === 'samples/mesh'));

let api: ApiServer;
let kubectl: Kubectl;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    kubectl = createKubectl(api);
    await kubectl('apply', '-f', 'manifests/00-namespace.yaml', '-f', 'manifests/10-crds.yaml');
  });
  test.after.always(() => api?.close());
}

test('there are samples of objects', (t) => {
  t.true(FOLDERS.includes('samples/mesh'));
});

for (const folder of FOLDERS) {
  it(`${folder}: the API server accepts every object unchanged, in the order of the files`, async (t) => {
    const count = readDocuments(folder).length;
    const apply = async (result: RegExp, ...dryRun: readonly string[]): Promise<void> => {
      const { code, output, complaint } = await kubectl('apply', '-f', `${folder}/`, '--validate=strict', ...dryRun);
      t.deepEqual([code, complaint], [0, ''], output);
      t.is(output.match(result)?.length, count, output);
    };
    await apply(/ (created|configured|unchanged)$/gm);
    // Only now, because a dry run does not create the namespaces that it needs.
    await apply(/ (configured|unchanged) \(server dry run\)$/gm, '--dry-run=server');
  });

  test(`${folder}: the accounts of pods are created before the pods`, (t) => {
    const seen = new Set<string>();
    for (const { kind, metadata, spec } of readDocuments(folder)) {
      if (kind === 'ServiceAccount') seen.add(`${metadata.namespace}/${metadata.name}`);
      if (kind !== 'Pod') continue;
      const { serviceAccountName } = spec as { readonly serviceAccountName: string };
      t.true(seen.has(`${metadata.namespace}/${serviceAccountName}`), metadata.name);
    }
    t.pass();
  });
}
