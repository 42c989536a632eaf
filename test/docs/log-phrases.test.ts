import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';
import { filesIn } from './markdown.js';

const ROOT = projectRoot();

/** Phrases of two words or more in backticks that follow the word log or logs in the same sentence. */
function logPhrasesIn(text: string): readonly string[] {
  return [...text.replaceAll(/\s+/g, ' ').matchAll(/\blogs?\b(?=[^.|`]{0,50}`)[^.|`]*((?:`[^`]+`(?:, or )?)+)/g)]
    .flatMap(([, quoted = '']) => [...quoted.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => phrase))
    .filter((phrase) => /^[A-Za-z]+(?:,? [A-Za-z-]+)+$/.test(phrase));
}

test('every log phrase that a page quotes is one that the code logs', (t) => {
  const code = filesIn(join(ROOT, 'src'), ['.ts'])
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  const pages = [...filesIn(join(ROOT, 'docs'), ['.md']), 'README.md'];
  const quoted = pages.flatMap((page) =>
    logPhrasesIn(readFileSync(join(ROOT, page), 'utf8')).map((phrase) => ({ page, phrase })),
  );
  t.true(quoted.length >= 4, 'the pages quote log phrases');
  t.deepEqual(
    quoted.filter(({ phrase }) => !code.includes(`'${phrase}`)),
    [],
  );
});

test('log phrases are found behind the word log, and single words are not phrases', (t) => {
  const text =
    'The log (scope `x`) says `a b c`, `/debug/x` shows. The log says: `Two words`, or `three, more words`. A catalog `a b`.';
  t.deepEqual(logPhrasesIn(text), ['Two words', 'three, more words']);
});
