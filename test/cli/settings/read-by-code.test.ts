import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { discoveryFlags } from '../../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../../src/cli/settings/environment-variables.js';
import type { Setting } from '../../../src/cli/settings/setting.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { filesIn } from '../../docs/markdown.js';

/** They only name the settings: the command line that parses them, and the types of what it returns. */
const ONLY_NAMES = /^src\/(cli\/|generated\/|bootstrap\/(environment|options)\.ts$)/;

const words = new Set(
  filesIn(join(projectRoot(), 'src'), ['.ts'])
    .filter((file) => !ONLY_NAMES.test(file))
    .flatMap((file) => readFileSync(join(projectRoot(), file), 'utf8').match(/\w+/g) ?? []),
);

for (const settings of [discoveryFlags, environmentVariables]) {
  for (const [field, setting] of Object.entries<Pick<Setting<unknown>, 'name'> & { unimplemented?: unknown }>(
    settings,
  )) {
    test(`the code reads ${setting.name}, or its author is told that it has no effect`, (t) => {
      t.true(words.has(field) || setting.unimplemented !== undefined, `no code reads the field ${field}`);
    });
  }
}
