import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';
import { anchorsIn, anchorsOf, filesIn } from './markdown.js';

const ROOT = projectRoot();
function withoutCode(text: string): string {
  return text.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of `[text](target)` and `![text](target)`, in order. */
function linksIn(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g)].map(([, target]) => target ?? '');
}

/** @returns why the link leads nowhere; undefined when it leads somewhere, or out of the repository */
function problemOf(file: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), decodeURIComponent(path));
  if (relative(ROOT, target).startsWith('..')) return 'leads out of the repository';
  if (!existsSync(target)) return 'there is no such file';
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : 'the file has no such heading';
}

for (const file of filesIn(ROOT, ['.md'])) {
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
  const pages = filesIn(join(ROOT, 'docs'), ['.md']).filter((file) => !file.startsWith('docs/reference/'));
  t.deepEqual(
    pages.filter((page) => !links.includes(page)),
    [],
  );
});

test('every page of docs ends with what to read next', (t) => {
  // The page about the code has a table of next changes instead.
  const pages = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md') && file !== 'architecture.md');
  const withoutLinks = pages.filter((page) => {
    const sections = readFileSync(join(ROOT, 'docs', page), 'utf8').split(/^## /m);
    const [title, ...lines] = (sections.at(-1) ?? '').split('\n');
    return title !== 'Read next' || linksIn(lines.join('\n')).length === 0;
  });
  t.deepEqual(withoutLinks, []);
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
