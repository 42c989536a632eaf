// npm run build: proto types and descriptors, the TypeScript compiler (incremental), and the bundles of the programs.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleKubeconfigLibrary, bundlePrograms } from './bundle.mjs';
import { generateDescriptors } from './generate-descriptors.mjs';
import { declareValidators, generateValidators } from './generate-validators.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

await import('./generate-proto-types.mjs');
generateDescriptors();
declareValidators();
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
try {
  execFileSync(process.execPath, [tsc, '-p', root], { stdio: 'inherit', cwd: root });
} catch (error) {
  process.exit(error.status ?? 1);
}
await generateValidators();
await bundleKubeconfigLibrary(root);
await bundlePrograms(root);
for (const program of ['navigator-discovery', 'navigator-policy']) {
  chmodSync(join(root, `build/programs/${program}.js`), 0o755);
}

// Build information for `version` and mesh_build. Without git, its fields stay unknown.
const git = (...args) => {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};
const revision = git('rev-parse', 'HEAD');
const changes = git('status', '--porcelain');
writeFileSync(
  join(root, 'build/build-info.json'),
  JSON.stringify({
    revision,
    status: revision === undefined ? undefined : changes === '' ? 'Clean' : 'Modified',
    tag: git('describe', '--tags', '--exact-match') || undefined,
  }),
);
