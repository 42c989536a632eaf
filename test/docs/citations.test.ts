import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';
import { anchorsOf, filesIn } from './markdown.js';

const ROOT = projectRoot();
const FOLDERS = ['src', 'test', 'scripts', 'bench', 'hack', 'proto', 'crds', 'manifests', 'overlays', 'samples'];
const ENDINGS = ['.ts', '.mjs', '.sh', '.proto', '.yaml', '.yml', '.json'];
/** This file holds citations of pages that do not exist. */
const OWN = 'test/docs/citations.test.ts';

/** Citations of a page of docs: `docs/a.md#b`, and with a heading also `a.md#b`. Targets of Markdown links are left out. */
function citationsIn(text: string): readonly string[] {
  const whole = [...text.matchAll(/\bdocs\/[\w./-]*\w\.md(?:#[\w-]+)?/g)].map(([citation]) => citation);
  const short = [...text.matchAll(/(?<![\w/(.-])\w[\w-]*\.md#[\w-]+/g)].map(([citation]) => `docs/${citation}`);
  return [...whole, ...short];
}

/** @returns why the citation leads nowhere; undefined when the page and its heading exist */
function problemOf(citation: string): string | undefined {
  const [path = '', anchor] = citation.split('#');
  if (!existsSync(join(ROOT, path))) return `${citation}: there is no such page`;
  if (anchor === undefined || anchorsOf(join(ROOT, path)).has(anchor)) return undefined;
  return `${citation}: the page has no such heading`;
}

for (const folder of FOLDERS) {
  test(`${folder}: every page of docs that a comment or message cites exists, with its heading`, (t) => {
    const problems = filesIn(join(ROOT, folder), ENDINGS)
      .filter((file) => file !== OWN)
      .flatMap((file) =>
        citationsIn(readFileSync(join(ROOT, file), 'utf8')).flatMap((citation) => {
          const problem = problemOf(citation);
          return problem === undefined ? [] : [`${file}: ${problem}`];
        }),
      );
    t.deepEqual(problems, []);
  });
}

/** Documents that the repository does not have: their names with a section, as comments once cited them. */
const OUTSIDE = /\bBEHAVIOUR\b|\bDESIGN\b|\bSPEC(?:\.md)?(?:,? sections?)? (?:\d|\$\{|writes|states|marks|gives|has\b)/;

test('no comment, title or message cites a document that the repository does not have', (t) => {
  const files = FOLDERS.flatMap((folder) => filesIn(join(ROOT, folder), ENDINGS)).filter((file) => file !== OWN);
  t.deepEqual(
    files.filter((file) => OUTSIDE.test(readFileSync(join(ROOT, file), 'utf8'))),
    [],
  );
});

test('a citation of a missing page or heading is found, in whole and in short form', (t) => {
  const text =
    '(docs/none.md; docs/reference/xds.md#none), see security.md#none and [a](b.md#c); docs/reference/xds.md#node.';
  t.deepEqual(citationsIn(text).map(problemOf), [
    'docs/none.md: there is no such page',
    'docs/reference/xds.md#none: the page has no such heading',
    undefined,
    'docs/security.md#none: the page has no such heading',
  ]);
});
