// Renders the generated parts of manifests/: the CustomResourceDefinitions, and the mesh domain in the hand-written
// files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCrds } from './render-crds.mjs';

const CRDS = 'manifests/10-crds.yaml';
const FOLDERS = ['manifests', 'manifests/gateway', 'manifests/policy'];
const DEPLOYMENT = 'manifests/50-deployment.yaml';

/** Files of manifests/ that name the mesh domain, as {file, content}. Those written by hand are read from `root`. */
export function renderManifests(root, meshDomain) {
  const crds = renderCrds(meshDomain).map(({ content }) => content);
  return [
    { file: CRDS, content: crds.map((text, index) => (index === 0 ? text : text.replace(/^#.*\n/, '---\n'))).join('') },
    ...withMeshDomain(root, meshDomain),
  ];
}

/** The mesh domain in the files of manifests/: that of the Deployment. */
export function meshDomainOf(root) {
  const present = /name: MESH_DOMAIN\n\s+value: (\S+)\n/.exec(readFileSync(join(root, DEPLOYMENT), 'utf8'))?.[1];
  if (present === undefined) throw new Error(`${DEPLOYMENT}: the variable MESH_DOMAIN is missing`);
  return present;
}

function withMeshDomain(root, meshDomain) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const present = meshDomainOf(root);
  const name = new RegExp(`(?<![\\w-])${present.replaceAll('.', '\\.')}(?![\\w.-])`, 'g');
  return FOLDERS.flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.yaml') && file !== CRDS)
    .sort()
    .map((file) => ({ file, content: read(file).replace(name, meshDomain) }));
}
