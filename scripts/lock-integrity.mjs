// node scripts/lock-integrity.mjs [--check]: every package of package-lock.json has the hash of its content, so that npm
// refuses one that was exchanged. Without --check, missing hashes are asked of the registry. npm leaves them out for
// packages that it has never fetched: programs of other platforms, which tools for development bring as optional.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.link && !entry.integrity);

if (!process.argv.includes('--check')) {
  for (const [path, { version }] of missing) fill(path, version);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
const left = Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.link && !entry.integrity);
const refused = left.filter(([, entry]) => !isForeignTool(entry));
if (left.length > 0)
  console.log(`${left.length} packages without a hash: optional programs of other platforms, for development`);
if (refused.length > 0) {
  console.error(`without a hash, and not excused:\n${refused.map(([path]) => `  ${path}`).join('\n')}`);
  process.exitCode = 1;
}

/** Never installed where CI and the image are built: Linux with glibc on x64 or arm64. */
function isForeignTool({ dev, optional, os = [], cpu = [], libc = [] }) {
  if (dev !== true || optional !== true) return false;
  const isOurs =
    os.includes('linux') &&
    (cpu.includes('x64') || cpu.includes('arm64')) &&
    (libc.length === 0 || libc.includes('glibc'));
  return !isOurs;
}

function fill(path, version) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { encoding: 'utf8' });
  const integrity = stdout.trim();
  if (status !== 0 || !/^sha512-[A-Za-z0-9+/]+=*$/.test(integrity)) {
    console.log(`the registry has no hash of ${name}@${version}`);
    return;
  }
  const { version: first, resolved, ...rest } = lock.packages[path];
  lock.packages[path] = { version: first, ...(resolved === undefined ? {} : { resolved }), integrity, ...rest };
}
