// Obtains the gRPC clients of the tests (test/counterparts/grpc) into .cache/grpc-clients: builds the one in Go, and
// installs the Python package. Used by npm test; alone: node scripts/obtain-grpc-clients.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obtainGo } from './obtain-testcluster.mjs';
import { pipInstall } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';
import { note } from './terminal.mjs';

const GRPCIO = 'grpcio==1.85.1 typing_extensions==4.16.0';
const SOURCES = join(projectRoot, 'test/counterparts/grpc/go');
const FOLDER = join(projectRoot, '.cache/grpc-clients');
const BINARY = join(FOLDER, 'go/client');
const STAMP = join(FOLDER, 'go/sources.sha256');
const PACKAGES = join(FOLDER, 'python');

function hashSources() {
  const hash = createHash('sha256');
  for (const file of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(SOURCES, file)));
  return hash.digest('hex');
}

function imports() {
  const env = { ...process.env, PYTHONPATH: PACKAGES };
  return (
    spawnSync('python3', ['-c', 'import grpc; grpc.xds_channel_credentials'], { stdio: 'ignore', env }).status === 0
  );
}

function obtainGoClient() {
  const sources = hashSources();
  if (existsSync(BINARY) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return undefined;
  const { path, missing } = obtainGo();
  if (missing !== undefined) return missing;
  note('Building the gRPC client in Go (test/counterparts/grpc/go, two minutes the first time) …');
  mkdirSync(join(FOLDER, 'go'), { recursive: true });
  const staging = `${BINARY}.new`;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', staging, '.'];
  const env = { ...process.env, PATH: path };
  const result = spawnSync('go', args, { cwd: SOURCES, encoding: 'utf8', env });
  if (result.status !== 0) {
    process.stderr.write(`${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
    return 'go build failed; its words are above';
  }
  renameSync(staging, BINARY);
  writeFileSync(STAMP, sources);
  return undefined;
}

function obtainPythonClient() {
  if (existsSync(join(PACKAGES, 'grpc')) && imports()) return undefined;
  note(`Obtaining ${GRPCIO} …`);
  const missing = pipInstall(GRPCIO, PACKAGES);
  if (missing !== undefined) return missing;
  return imports() ? undefined : `${GRPCIO} does not run on this machine`;
}

/** Returns the reasons, one line for each language whose client is missing. */
export function obtainGrpcClients() {
  const missing = [
    ['Go', obtainGoClient()],
    ['Python', obtainPythonClient()],
  ];
  return missing.flatMap(([language, reason]) => (reason === undefined ? [] : [`gRPC in ${language}: ${reason}`]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = obtainGrpcClients();
  for (const reason of missing) console.error(reason);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
