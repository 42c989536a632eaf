// Obtains the packages of the image's root file system: Node.js from npm, the C libraries and the programs that set network
// rules from Debian. packages.json has their versions and hashes. Used by npm run image and npm test.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../set-up.mjs';
import { note } from '../terminal.mjs';

const LIST = join(projectRoot, 'scripts/image/packages.json');
const FOLDER = join(projectRoot, '.cache/image/packages');

/** Every package of the list: name, hash in the manner of npm, file where it is kept, and how to fetch it. */
export function imagePackages() {
  const { node, debian } = JSON.parse(readFileSync(LIST, 'utf8'));
  const nodeName = `${node.name}@${node.version}`;
  return [
    {
      name: nodeName,
      integrity: node.integrity,
      file: join(FOLDER, `${nodeName}.tgz`),
      fetch: ['npm', 'pack', '--silent', nodeName],
    },
    ...Object.entries(debian).map(([name, { version, sha256 }]) => ({
      name: `${name}=${version}`,
      integrity: `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`,
      file: join(FOLDER, `${name}_${encodeURIComponent(version)}.deb`),
      fetch: ['apt-get', '-qq', 'download', `${name}=${version}`],
    })),
  ];
}

function isWhole({ file, integrity }) {
  if (!existsSync(file)) return false;
  const [algorithm] = integrity.split('-');
  return `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}` === integrity;
}

/** Fetches into a folder of its own, and moves what has the right hash. Returns the reason if that fails. */
function fetchPackage(wanted) {
  const folder = mkdtempSync(join(FOLDER, 'new-'));
  try {
    const [program, ...args] = wanted.fetch;
    const { status, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    const [name] = readdirSync(folder);
    if (status !== 0 || name === undefined) {
      const reason = (error?.message ?? stderr).trim().split('\n').at(-1);
      return `${wanted.fetch.join(' ')} failed: ${reason} (run apt-get update; if Debian has a newer version, write it and its SHA-256 into scripts/image/packages.json)`;
    }
    const fetched = { ...wanted, file: join(folder, name) };
    if (!isWhole(fetched)) return `${wanted.name} does not have the hash of scripts/image/packages.json`;
    renameSync(fetched.file, wanted.file);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns {}, or { missing } with the reason in one line. */
export function obtainImagePackages() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: `it is made on Linux with x64; this is ${process.platform} with ${process.arch}` };
  }
  mkdirSync(FOLDER, { recursive: true });
  const absent = imagePackages().filter((wanted) => !isWhole(wanted));
  if (absent.length > 0) note(`Obtaining ${absent.length} packages of the image (npm, apt-get; about 50 MB) …`);
  for (const wanted of absent) {
    const missing = fetchPackage(wanted);
    if (missing !== undefined) return { missing };
  }
  return {};
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { missing } = obtainImagePackages();
  if (missing !== undefined) console.error(missing);
  process.exitCode = missing === undefined ? 0 : 1;
}
