// npm run generate: writes the files that follow from the code, so that no table is kept twice.
// --check writes nothing and fails when a file is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, setUp } from './set-up.mjs';

setUp();
const { renderConfigurationDoc } = await import('./render-configuration-doc.mjs');

const GENERATED = [{ file: 'docs/configuration.md', content: await renderConfigurationDoc() }];

const check = process.argv.includes('--check');
for (const { file, content } of GENERATED) {
  const path = join(projectRoot, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (check) {
    console.error(`${file} is stale: run npm run generate`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, content);
    console.log(`wrote ${file}`);
  }
}
