// Obtains Helm for the tests of the chart: builds the version of hack/helm/go.mod into .cache/helm. Used by npm test;
// alone: node scripts/obtain-helm.mjs
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildGoProgram } from './build-go-program.mjs';
import { projectRoot } from './set-up.mjs';

/** Returns {}, or { missing } with the reason in one line. */
export function obtainHelm() {
  const missing = buildGoProgram({
    sources: join(projectRoot, 'hack/helm'),
    target: 'helm.sh/helm/v3/cmd/helm',
    binary: join(projectRoot, '.cache/helm/helm'),
    about: 'Building Helm (hack/helm, three minutes the first time) …',
  });
  return missing === undefined ? {} : { missing };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainHelm();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
