import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createPolicyConfigGenerators } from '../../../../src/generators/policy/client-configs/policy-config-generators.js';
import { projectRoot } from '../../../counterparts/project-root.js';
import { readGoldenCase, toGoldenYaml } from '../../golden-case.js';
import { ENCODER, generateAll, toJson } from '../../served-resources.js';

const FOLDER = join(projectRoot(), 'test/generators/policy/client-configs/golden');
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.in.yaml'))) {
  const { context, settings, proxies } = readGoldenCase(file, readFileSync(join(FOLDER, file), 'utf8'));
  const served = new Map(
    [...proxies].map(([title, proxy]) => [
      title,
      createPolicyConfigGenerators(ENCODER, settings, 'legacy').map((generator) => ({
        typeUrl: generator.typeUrl,
        resources: generateAll(generator, context, proxy).resources,
      })),
    ]),
  );

  for (const [title, types] of served) {
    const expected = `${file.replace('.in.yaml', '')}.${title.replaceAll(' ', '-')}`;
    test(`${file}: client configurations for "${title}" are as in the golden file (UPDATE_GOLDEN=1 rewrites it)`, (t) => {
      const path = join(FOLDER, `${expected}.yaml`);
      const actual = toGoldenYaml(types.map(({ typeUrl, resources }) => [typeUrl, resources.map(toJson)]));
      if (UPDATE) writeFileSync(path, actual);
      t.true(existsSync(path), `${path} is missing: run again with UPDATE_GOLDEN=1, and read what it wrote`);
      t.is(actual, readFileSync(path, 'utf8'));
    });
  }
}
