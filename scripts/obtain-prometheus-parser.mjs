// Obtains the parser of the text format of Prometheus in Python into .cache/prometheus, which tests read metrics with. Used by npm test;
// alone: node scripts/obtain-prometheus-parser.mjs
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obtainPythonPackages } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';

const PACKAGES = 'prometheus-client==0.26.0';
const FOLDER = join(projectRoot, '.cache/prometheus');

/** Returns { missing } with the reason in one line, or {}. */
export function obtainPrometheusParser() {
  const missing = obtainPythonPackages(PACKAGES, FOLDER, 'import prometheus_client.parser');
  return missing === undefined ? {} : { missing };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainPrometheusParser();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
