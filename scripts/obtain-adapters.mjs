// Builds the adapter in Go of the samples (samples/adapters/audit) into .cache/adapters. Used by npm test; alone: node
// scripts/obtain-adapters.mjs
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildGoProgram } from './build-go-program.mjs';
import { obtainProtoc } from './obtain-system-tools.mjs';
import { projectRoot } from './set-up.mjs';

const SAMPLE = join(projectRoot, 'samples/adapters/audit');
const PROTOS = join(projectRoot, 'proto');
const FOLDER = join(projectRoot, '.cache/adapters');
/** A copy, so that the code that the sample makes is not in its folder. */
const SOURCES = join(FOLDER, 'source');

function protoFiles() {
  const folder = join(PROTOS, 'mesh/adapters');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.proto'))
    .map((file) => join(folder, file));
}

function generate(path) {
  const env = { ...process.env, PATH: path, PROTOS };
  const { status, stderr } = spawnSync('sh', ['generate.sh'], { cwd: SOURCES, encoding: 'utf8', env });
  if (status === 0) return undefined;
  process.stderr.write(`${stderr}\n`);
  return 'its messages could not be made; the words of protoc are above';
}

/** Returns {}, or { missing } with the reason in one line. */
export function obtainAdapters() {
  const protoc = obtainProtoc();
  if (protoc.missing !== undefined) return protoc;
  rmSync(SOURCES, { recursive: true, force: true });
  cpSync(SAMPLE, SOURCES, { recursive: true });
  const missing = buildGoProgram({
    sources: SOURCES,
    target: '.',
    binary: join(FOLDER, 'audit'),
    about: 'Building the adapter in Go (samples/adapters/audit, two minutes the first time) …',
    inputs: [join(SAMPLE, 'generate.sh'), join(SAMPLE, 'audit.proto'), ...protoFiles()],
    prepare: generate,
  });
  return missing === undefined ? {} : { missing };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainAdapters();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
