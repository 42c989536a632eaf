// Builds a program in Go for the tests, again only after a change of its sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { obtainGo } from './obtain-testcluster.mjs';
import { note } from './terminal.mjs';

/**
 * Returns the reason in one line if the program cannot be built; undefined if `binary` is there.
 *
 * @param sources folder of the module; its files decide whether `binary` is current
 * @param target the package to build, seen from `sources`
 * @param about the line to print before the work: what is built, and how long it takes
 * @param inputs further files that decide whether `binary` is current
 * @param prepare makes the rest of the sources, with the PATH that has Go; returns the reason if that fails
 */
export function buildGoProgram({ sources, target, binary, about, inputs = [], prepare = () => undefined }) {
  const hash = hashOf(sources, target, inputs);
  const stamp = `${binary}.sha256`;
  if (existsSync(binary) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return undefined;
  const { path, missing } = obtainGo();
  if (missing !== undefined) return missing;
  note(about);
  mkdirSync(dirname(binary), { recursive: true });
  const unprepared = prepare(path);
  if (unprepared !== undefined) return unprepared;
  // Built beside and moved, so that a build that ends half-way leaves nothing that looks whole.
  const staging = `${binary}.new`;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', staging, target];
  const env = { ...process.env, PATH: path };
  const result = spawnSync('go', args, { cwd: sources, encoding: 'utf8', env });
  if (result.status !== 0) {
    process.stderr.write(`${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
    return 'go build failed; its words are above';
  }
  renameSync(staging, binary);
  writeFileSync(stamp, hash);
  return undefined;
}

function hashOf(sources, target, inputs) {
  const hash = createHash('sha256').update(target);
  for (const file of readdirSync(sources)
    .filter((each) => /\.go$|^go\.(mod|sum)$/.test(each))
    .sort()) {
    hash.update(file).update(readFileSync(join(sources, file)));
  }
  for (const file of [...inputs].sort()) hash.update(readFileSync(file));
  return hash.digest('hex');
}
