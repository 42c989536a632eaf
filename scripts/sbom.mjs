// npm run sbom: writes build/sbom.cdx.json, every package of a production installation, as CycloneDX 1.5. It follows the
// lock file, so that it says the same wherever it is made. `npm sbom --omit=dev` leaves some of them out (npm 11.19).
// With --image also Node.js and the Debian packages of `npm run image`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { productionPackages } from './production-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: { image: { type: 'boolean' } } });
const file = positionals[0] ?? join(root, 'build/sbom.cdx.json');
const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const components = new Map();
for (const [path, entry] of productionPackages(root)) {
  const component = componentOf(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry);
  components.set(component.purl, component);
}
if (flags.image) for (const component of imageComponents()) components.set(component.purl, component);
const sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', name, version, ...licensesOf(license) } },
  components: [...components.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1)),
};
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${file}: ${components.size} packages`);

function componentOf(packageName, { version: packageVersion, integrity, license: packageLicense, optional }) {
  const purl = `pkg:npm/${packageName.replace('@', '%40')}@${packageVersion}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: packageName,
    version: packageVersion,
    scope: optional ? 'optional' : 'required',
    ...licensesOf(packageLicense),
    hashes: [hashOf(integrity)],
    purl,
  };
}

/** Node.js and the Debian packages of the image's first layer. */
function imageComponents() {
  const { node, debian } = JSON.parse(readFileSync(join(root, 'scripts/image/packages.json'), 'utf8'));
  const required = (purl, fields) => ({ type: 'library', 'bom-ref': purl, ...fields, scope: 'required', purl });
  return [
    required(`pkg:npm/${node.name}@${node.version}`, {
      name: node.name,
      version: node.version,
      hashes: [hashOf(node.integrity)],
    }),
    ...Object.entries(debian).map(([name, { version, sha256 }]) =>
      required(`pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=amd64&distro=debian-12`, {
        name,
        version,
        hashes: [{ alg: 'SHA-256', content: sha256 }],
      }),
    ),
  ];
}

/** @param integrity as in the lock file: `sha512-…` in Base64 */
function hashOf(integrity) {
  return { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') };
}

/** A name of SPDX, or an expression of several. */
function licensesOf(text) {
  if (text === undefined) return {};
  return { licenses: [/ (AND|OR|WITH) /.test(text) ? { expression: text } : { license: { id: text } }] };
}
