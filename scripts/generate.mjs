// npm run generate: writes the files that follow from the code, so that no table is kept twice.
// --check writes nothing and fails when a file is stale; --mesh-domain DOMAIN writes crds/ and manifests/ for another
// mesh domain.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot, setUp } from './set-up.mjs';

const { check, 'mesh-domain': meshDomain } = readFlags();
setUp();
const { DEFAULT_MESH_DOMAIN } = await import('../build/src/config/mesh-domain.js');
const { renderConfigurationDoc } = await import('./render-configuration-doc.mjs');
const { renderAnalysisDoc } = await import('./render-analysis-doc.mjs');
const { renderAttributesDoc } = await import('./render-attributes-doc.mjs');
const { renderCrds } = await import('./render-crds.mjs');
const { renderListenersDoc } = await import('./render-listeners-doc.mjs');
const { renderMetricsDoc } = await import('./render-metrics-doc.mjs');
const { renderManifests } = await import('./render-manifests.mjs');

const crds = renderCrds(meshDomain ?? DEFAULT_MESH_DOMAIN);
const generated = [
  { file: 'docs/configuration.md', content: await renderConfigurationDoc() },
  { file: 'docs/analysis.md', content: renderAnalysisDoc() },
  { file: 'docs/attributes.md', content: renderAttributesDoc() },
  { file: 'docs/reference/listeners.md', content: renderListenersDoc() },
  { file: 'docs/reference/metrics.md', content: await renderMetricsDoc() },
  ...crds,
  ...renderManifests(projectRoot, meshDomain ?? DEFAULT_MESH_DOMAIN),
];

for (const { file, content } of generated) {
  const path = join(projectRoot, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (check) {
    reportStale(file);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    console.log(`wrote ${file}`);
  }
}
for (const file of leftoverCrds()) {
  if (check) {
    reportStale(file);
  } else {
    rmSync(join(projectRoot, file));
    console.log(`removed ${file}`);
  }
}

function readFlags() {
  try {
    const options = { check: { type: 'boolean', default: false }, 'mesh-domain': { type: 'string' } };
    const { values } = parseArgs({ options });
    const domain = values['mesh-domain'];
    if (domain === undefined || /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(domain)) {
      return values;
    }
    throw new Error(`--mesh-domain ${JSON.stringify(domain)} is not a domain; use for example acme.io`);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** CRDs of removed kinds. */
function leftoverCrds() {
  const folder = join(projectRoot, 'crds');
  const written = new Set(crds.map(({ file }) => file));
  const present = existsSync(folder) ? readdirSync(folder) : [];
  return present.map((name) => `crds/${name}`).filter((file) => file.endsWith('.yaml') && !written.has(file));
}

function reportStale(file) {
  console.error(`${file} is stale: run npm run generate`);
  process.exitCode = 1;
}
