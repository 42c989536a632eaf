// npm run sbom: writes build/sbom.cdx.json, every package of a production installation, as CycloneDX 1.5. It follows the
// lock file, so that it says the same wherever it is made. `npm sbom --omit=dev` leaves some of them out (npm 11.19).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productionPackages } from './production-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = process.argv[2] ?? join(root, 'build/sbom.cdx.json');
const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const components = new Map();
for (const [path, entry] of productionPackages(root)) {
  const component = componentOf(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry);
  components.set(component.purl, component);
}
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
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purl,
    name: packageName,
    version: packageVersion,
    scope: optional ? 'optional' : 'required',
    ...licensesOf(packageLicense),
    hashes: [{ alg: 'SHA-512', content }],
    purl,
  };
}

/** A name of SPDX, or an expression of several. */
function licensesOf(text) {
  if (text === undefined) return {};
  return { licenses: [/ (AND|OR|WITH) /.test(text) ? { expression: text } : { license: { id: text } }] };
}
