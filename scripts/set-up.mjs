// First steps of npm start, npm test and npm run demo: check Node, install packages, build. A step is skipped if its
// inputs have not changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { note } from './terminal.mjs';

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const OLDEST_NODE = [20, 19];
const BUILD_INPUTS = [
  'src',
  'test',
  'bench',
  'samples',
  'proto',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/generate-descriptors.mjs',
  'scripts/generate-proto-types.mjs',
  'scripts/generate-validators.mjs',
];
const STAMP_FILE = join(projectRoot, 'build/.set-up.json');
const INSTALLED_FILE = join(projectRoot, 'node_modules/.package-lock.json');

/** Ends the program with one line when Node is too old to run it. */
export function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(
    `Node ${OLDEST_NODE.join('.')} or later is needed; this is ${process.versions.node}. Get one at https://nodejs.org/`,
  );
  process.exit(1);
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP_FILE, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(part) {
  const stamp = { ...readStamp(), ...part };
  mkdirSync(dirname(STAMP_FILE), { recursive: true });
  writeFileSync(STAMP_FILE, JSON.stringify(stamp));
}

function hashLockFile() {
  return createHash('sha256')
    .update(readFileSync(join(projectRoot, 'package-lock.json')))
    .digest('hex');
}

/** Hash over path, size and modification time of everything that the build reads. */
function hashBuildInputs() {
  const hash = createHash('sha256');
  const visit = (path) => {
    const stat = statSync(join(projectRoot, path), { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory()) {
      if (path === 'src/generated') return;
      for (const name of readdirSync(join(projectRoot, path)).sort()) visit(`${path}/${name}`);
    } else if (/\.(ts|mjs|json)$/.test(path)) {
      hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
    }
  };
  BUILD_INPUTS.forEach(visit);
  return hash.digest('hex');
}

/** Runs a step with its output hidden, and shows that output when it fails. */
function runStep(what, command, args) {
  note(what);
  const result = spawnSync(command, args, { cwd: projectRoot, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
  console.error(`${command} ${args.join(' ')} failed; see above.`);
  process.exit(1);
}

function isInstalled(lock) {
  const installed = statSync(INSTALLED_FILE, { throwIfNoEntry: false });
  if (installed === undefined) return false;
  // Installed by hand after the lock file last changed counts too.
  return readStamp().lock === lock || installed.mtimeMs >= statSync(join(projectRoot, 'package-lock.json')).mtimeMs;
}

/** npm ci empties node_modules first; through a link it would empty those of another checkout. */
function refuseLinkedPackages() {
  if (!lstatSync(join(projectRoot, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  console.error('node_modules is a link, and not up to date: remove it, or run npm ci where it leads to.');
  process.exit(1);
}

/** Installs packages and builds when needed. Ends the program when a step fails. */
export function setUp() {
  checkNodeVersion();
  const lock = hashLockFile();
  if (!isInstalled(lock)) {
    refuseLinkedPackages();
    runStep('Installing packages (npm ci) …', 'npm', [
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
  }
  const inputs = hashBuildInputs();
  const { lock: builtLock, inputs: builtInputs } = readStamp();
  const built =
    existsSync(join(projectRoot, 'build/programs/navigator-policy.js')) && builtInputs === inputs && builtLock === lock;
  if (!built) runStep('Building …', process.execPath, [join(projectRoot, 'scripts/build.mjs')]);
  if (!built) writeStamp({ lock, inputs });
}
