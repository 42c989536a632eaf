import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

interface Rendered {
  readonly file: string;
  readonly content: string;
}

async function render(root: string, meshDomain: string): Promise<readonly Rendered[]> {
  const renderer: { renderManifests(root: string, domain: string): readonly Rendered[] } = await import(
    pathToFileURL(join(projectRoot(), 'scripts/render-manifests.mjs')).href
  );
  return renderer.renderManifests(root, meshDomain);
}

test('manifests/ equal the output of npm run generate', async (t) => {
  const rendered = await render(projectRoot(), 'mesh.internal');
  t.true(rendered.length > 5);
  for (const { file, content } of rendered) t.is(await readFile(join(projectRoot(), file), 'utf8'), content, file);
});

test('there is a CRD for every kind of the mesh', async (t) => {
  const crds = (await render(projectRoot(), 'mesh.internal')).find(({ file }) => file === 'manifests/10-crds.yaml');
  t.deepEqual([...(crds?.content ?? '').matchAll(/^ {2}name: (\S+)$/gm)].map(([, name]) => name).sort(), [
    'adapters.config.mesh.internal',
    'attributemanifests.config.mesh.internal',
    'authorizationpolicies.security.mesh.internal',
    'consumers.config.mesh.internal',
    'destinationrules.networking.mesh.internal',
    'envoyfilters.networking.mesh.internal',
    'gateways.networking.mesh.internal',
    'handlers.config.mesh.internal',
    'httpapispecbindings.config.mesh.internal',
    'httpapispecs.config.mesh.internal',
    'instances.config.mesh.internal',
    'peerauthentications.security.mesh.internal',
    'plans.config.mesh.internal',
    'quotaspecbindings.config.mesh.internal',
    'quotaspecs.config.mesh.internal',
    'requestauthentications.security.mesh.internal',
    'rules.config.mesh.internal',
    'serviceentries.networking.mesh.internal',
    'sidecars.networking.mesh.internal',
    'templates.config.mesh.internal',
    'virtualservices.networking.mesh.internal',
    'workloadentries.networking.mesh.internal',
  ]);
});

test('another mesh domain changes CRDs, roles and the variable of the server together, and back again', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'navigator-manifests-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  await cp(join(projectRoot(), 'manifests'), join(root, 'manifests'), { recursive: true });
  const ours = await render(root, 'mesh.internal');
  const theirs = await render(root, 'acme.io');
  t.deepEqual(
    theirs.filter(({ content }, index) => content !== ours[index]?.content).map(({ file }) => file),
    ours.filter(({ content }) => content.includes('mesh.internal')).map(({ file }) => file),
  );
  t.true(theirs.length >= 3);
  for (const { file, content } of theirs) {
    t.false(content.includes('mesh.internal'), file);
    await writeFile(join(root, file), content);
  }
  t.deepEqual(await render(root, 'mesh.internal'), ours);
});
