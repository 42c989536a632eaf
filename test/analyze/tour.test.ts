import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { projectRoot } from '../counterparts/project-root.js';
import { analyzeTexts, shownFinding } from './support.js';

function textsOf(folder: string): Readonly<Record<string, string>> {
  const absolute = join(projectRoot(), 'samples', folder);
  const files = readdirSync(absolute).filter((file) => file.endsWith('.yaml'));
  return Object.fromEntries(files.map((file) => [`${folder}/${file}`, readFileSync(join(absolute, file), 'utf8')]));
}

const MESH = textsOf('mesh');
const TOUR = Object.entries(textsOf('tour'));

test('nothing is wrong with the sample mesh', async (t) => {
  const { findings } = await analyzeTexts(MESH, { isComplete: true });
  t.deepEqual(findings.map(shownFinding), []);
});

for (const [file, text] of TOUR) {
  test(`${file} fits the sample mesh`, async (t) => {
    const { findings } = await analyzeTexts({ ...MESH, [file]: text });
    t.deepEqual(findings.map(shownFinding), []);
  });
}

test('the tour names each of its files', (t) => {
  const readme = readFileSync(join(projectRoot(), 'samples/tour/README.md'), 'utf8');
  t.true(TOUR.length > 0);
  for (const [file] of TOUR) t.true(readme.includes(`| \`${file.replace('tour/', '')}\` |`), file);
});
