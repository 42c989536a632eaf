// npm run image: builds when needed, and writes build/image/navigator-discovery.tar, the image of the Dockerfile without a
// Docker engine. The same commit and packages give the same digest. SOURCE_DATE_EPOCH: seconds since 1970 of the image's
// date, default the time of the commit. --output FILE: another place.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot, setUp } from '../set-up.mjs';
import { baseLayer } from './base-layer.mjs';
import { finalStage, instruction, instructions, labelsOf } from './dockerfile.mjs';
import { obtainImagePackages } from './obtain-packages.mjs';
import { programLayers } from './program-layers.mjs';
import { writeArchive } from './write-archive.mjs';

const { values: flags } = parseArgs({ options: { output: { type: 'string' } } });
const file = resolve(flags.output ?? join(projectRoot, 'build/image/navigator-discovery.tar'));
process.umask(0o022);
if (process.env.SKIP_SET_UP !== '1') setUp();
const { missing } = obtainImagePackages();
if (missing === undefined) await makeImage();
else console.error(`The image cannot be made: ${missing}`);
process.exitCode = missing === undefined ? 0 : 1;

async function makeImage() {
  const { name, version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  execFileSync(process.execPath, [join(projectRoot, 'scripts/sbom.mjs'), '--image'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const blobs = mkdtempSync(join(tmpdir(), 'navigator-layers-'));
  try {
    const layers = [await baseLayer(), ...(await programLayers(blobs))];
    const digest = writeArchive(file, { name, tag: version, created: createdAt(), config: imageConfig(), layers });
    console.log(`${relative(process.cwd(), file)}: ${name}:${version}@${digest}`);
  } finally {
    rmSync(blobs, { recursive: true, force: true });
  }
}

/** How the image starts, as the Dockerfile says. */
function imageConfig() {
  const stage = finalStage();
  const { revision = 'unknown' } = JSON.parse(readFileSync(join(projectRoot, 'build/build-info.json'), 'utf8'));
  const labels = Object.entries(labelsOf(stage)).map(([key, text]) => [key, text.replace('$REVISION', revision)]);
  return {
    User: instruction(stage, 'USER'),
    Env: instructions(stage, 'ENV'),
    Entrypoint: JSON.parse(instruction(stage, 'ENTRYPOINT')),
    Cmd: JSON.parse(instruction(stage, 'CMD')),
    WorkingDir: instruction(stage, 'WORKDIR'),
    Labels: Object.fromEntries(labels),
  };
}

function createdAt() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? commitTime();
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) throw new Error(`SOURCE_DATE_EPOCH=${seconds}: write seconds since 1970`);
  return date.toISOString().replace('.000Z', 'Z');
}

function commitTime() {
  try {
    const options = { cwd: projectRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['log', '-1', '--format=%ct'], options).trim();
  } catch {
    return '0';
  }
}
