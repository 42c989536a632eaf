import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';

const ROOT = projectRoot();
const SKIPPED_FOLDERS = new Set(['node_modules', 'build', 'coverage']);

/** All Markdown files of the repository, relative to its root. */
function markdownFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFiles(path);
    return entry.name.endsWith('.md') ? [relative(ROOT, path)] : [];
  });
}

function withoutCode(text: string): string {
  return text.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of `[text](target)` and `![text](target)`, in order. */
function linksIn(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g)].map(([, target]) => target ?? '');
}

/** Anchors as GitHub makes them of headings, and those that the text sets itself. */
function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const withoutFences = text.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '');
  for (const [, heading = ''] of withoutFences.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** @returns why the link leads nowhere; undefined when it leads somewhere, or out of the repository */
function problemOf(file: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), decodeURIComponent(path));
  if (relative(ROOT, target).startsWith('..')) return 'leads out of the repository';
  if (!existsSync(target)) return 'there is no such file';
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsIn(readFileSync(target, 'utf8')).has(anchor) ? undefined : 'the file has no such heading';
}

for (const file of markdownFiles(ROOT)) {
  test(`${file}: every relative link leads to a file and a heading that exist`, (t) => {
    const links = linksIn(readFileSync(join(ROOT, file), 'utf8'));
    t.deepEqual(
      links.flatMap((link) => problemOf(file, link)?.replace(/^/, `${link}: `) ?? []),
      [],
    );
  });
}

test('the README links every page of docs', (t) => {
  const links = linksIn(readFileSync(join(ROOT, 'README.md'), 'utf8')).map((link) => link.split('#')[0]);
  const pages = markdownFiles(join(ROOT, 'docs')).filter((file) => !file.startsWith('docs/reference/'));
  t.deepEqual(
    pages.filter((page) => !links.includes(page)),
    [],
  );
});

test('anchors follow the headings: code, links, punctuation, repetitions, and ids in the text', (t) => {
  const text = [
    '# A `b-c`, and (d)',
    '## [Link](x.md#y)',
    '## Same',
    '## Same',
    '```',
    '# no',
    '```',
    '<a id="m1"></a>',
  ];
  t.deepEqual([...anchorsIn(text.join('\n'))], ['a-b-c-and-d', 'link', 'same', 'same-1', 'm1']);
});

test('a link to a missing file or heading is a problem; code and other sites are none', (t) => {
  t.deepEqual(linksIn('[a](b.md) `[c](d.md)` ![e](f.svg)'), ['b.md', 'f.svg']);
  t.is(problemOf('docs/architecture.md', 'nowhere.md'), 'there is no such file');
  t.is(problemOf('docs/architecture.md', '#nowhere'), 'the file has no such heading');
  t.is(problemOf('README.md', '../elsewhere.md'), 'leads out of the repository');
  t.is(problemOf('README.md', 'https://example.com/x'), undefined);
  t.is(problemOf('README.md', 'docs/architecture.md#rooms'), undefined);
});
