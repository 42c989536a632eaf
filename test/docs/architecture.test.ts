import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

const ROOT = projectRoot();
const PAGES = ['docs/architecture.md', 'CONTRIBUTING.md'];
/** Written by the build, or the name of a package. */
const ELSEWHERE = /^(?:build|navigator-discovery)\//;
/** The table of next changes names folders that do not exist yet. */
const NEXT_CHANGES = /\n## Next changes\n[\s\S]*?(?=\n## )/;

/** Paths in backticks: folders and files of the repository, or of src. */
function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\/?)`/g)].map(([, path = '']) => path);
}

/** Whether the path is a folder or a file; endings of modules may be left out. */
function exists(path: string): boolean {
  return ['', 'src'].some((base) =>
    ['', '.ts', '.mjs'].some((ending) => existsSync(join(ROOT, base, `${path}${ending}`))),
  );
}

test('every folder and file that the pages for developers name exists', (t) => {
  const paths = PAGES.flatMap((page) => pathsIn(readFileSync(join(ROOT, page), 'utf8').replace(NEXT_CHANGES, '')));
  t.true(paths.length > 40, 'the pages name paths');
  t.deepEqual(
    paths.filter((path) => !exists(path) && !ELSEWHERE.test(path)),
    [],
  );
});

test('paths are found in backticks, with and without an ending', (t) => {
  t.deepEqual(pathsIn('`net/guard` and `config/kinds.ts`, not `proxy`, `--plugins` or `/metrics`'), [
    'net/guard',
    'config/kinds.ts',
  ]);
  t.true(exists('config/kinds') && exists('src/config') && exists('scripts/build.mjs'));
  t.false(exists('config/none'));
});
