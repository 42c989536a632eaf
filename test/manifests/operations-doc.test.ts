import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

const PAGE = readFileSync(join(projectRoot(), 'docs/operations.md'), 'utf8');
const FAILURES = PAGE.slice(PAGE.indexOf('\n## When a part fails\n'));

test('every line of "When a part fails" names a test that exists', (t) => {
  const [, , ...rows] = FAILURES.split('\n').filter((line) => line.startsWith('|'));
  t.true(rows.length >= 8, `${rows.length} lines`);
  for (const row of rows) {
    const [, file = '', title = ''] = /\| \[[a-z-]+\]\(\.\.\/([^)]+)\): "([^"]+)" \|$/.exec(row) ?? [];
    t.true(file !== '' && existsSync(join(projectRoot(), file)), row);
    t.true(readFileSync(join(projectRoot(), file), 'utf8').includes(`'${title}'`), `${file} has no test "${title}"`);
  }
});

test('docs/operations.md describes drains as the flags and the manifests set them', (t) => {
  const deployment = readFileSync(join(projectRoot(), 'manifests/50-deployment.yaml'), 'utf8');
  const grace = /terminationGracePeriodSeconds: (\d+)/.exec(deployment)?.[1];
  t.true(PAGE.includes(`| \`terminationGracePeriodSeconds\` of the pod | \`${grace}\` |`));
  t.false(/^\s+preStop:/m.test(deployment));
});
