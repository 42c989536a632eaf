import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createPages } from '../../src/introspection/page-table.js';
import { projectRoot } from '../counterparts/project-root.js';

const GUIDE = readFileSync(join(projectRoot(), 'docs/debug-pages.md'), 'utf8');

for (const { path, parameters = [] } of createPages()) {
  test(`docs/debug-pages.md shows ${path} and its parameters`, (t) => {
    const row = GUIDE.split('\n').find((line) => line.startsWith(`| \`${path}\` |`)) ?? '';
    t.not(row, '');
    for (const { name } of parameters) t.regex(row, new RegExp(`\`${name}\\b`));
  });
}
