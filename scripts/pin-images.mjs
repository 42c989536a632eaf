// node scripts/pin-images.mjs: asks the registries for the digests of the images in images.json, writes them there, and
// brings Dockerfile and manifests/ up to date. `docker` must be able to reach the registries.
//   --offline   contacts no registry: Dockerfile and manifests follow images.json as it is
//   --check     changes nothing; fails when a digest is missing (a release must not be built then), or a file is stale
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean' }, offline: { type: 'boolean' }, root: { type: 'string' } },
});
const root = flags.root ?? dirname(dirname(fileURLToPath(import.meta.url)));
const at = (file) => join(root, file);
const images = JSON.parse(readFileSync(at('images.json'), 'utf8'));
const problems = [];

for (const [name, image] of Object.entries(images)) {
  if (!flags.check && !flags.offline) image.digest = digestOf(image.tag);
  if (flags.check && !/^sha256:[0-9a-f]{64}$/.test(image.digest)) {
    problems.push(`images.json: ${name} (${image.tag}) has no digest: run node scripts/pin-images.mjs`);
  }
}
if (!flags.check) writeFileSync(at('images.json'), `${JSON.stringify(images, null, 2)}\n`);
for (const { file, pattern } of Object.values(images).flatMap(placesOf)) replaceIn(file, pattern);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Wherever an image is named, its name follows the tag, with its digest when there is one. */
function placesOf({ tag, digest, files }) {
  const reference = digest === '' ? tag : `${tag}@${digest}`;
  return files.map((file) => ({ file, pattern: { tag, reference } }));
}

function replaceIn(file, { tag, reference }) {
  const before = readFileSync(at(file), 'utf8');
  const name = new RegExp(`${tag.replaceAll('.', '\\.')}(@sha256:[0-9a-f]{64})?(?![\\w.-])`, 'g');
  if (!name.test(before)) throw new Error(`${file} does not name ${tag}`);
  const after = before.replace(name, reference);
  if (after === before) return;
  if (flags.check) problems.push(`${file} is stale: run node scripts/pin-images.mjs --offline`);
  else writeFileSync(at(file), after);
}

function digestOf(tag) {
  const args = ['buildx', 'imagetools', 'inspect', tag, '--format', '{{.Manifest.Digest}}'];
  const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  const digest = stdout?.trim();
  if (status !== 0 || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`the registry does not say the digest of ${tag}: ${error?.message ?? stderr}`);
  }
  return digest;
}
