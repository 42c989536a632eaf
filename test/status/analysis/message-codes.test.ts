import { readFile } from 'node:fs/promises';
import test from 'ava';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';

const root = new URL('../../../../', import.meta.url);

test('docs/analysis.md is what npm run generate writes', async (t) => {
  const renderer: { renderAnalysisDoc(): string } = await import(new URL('scripts/render-analysis-doc.mjs', root).href);
  t.is(await readFile(new URL('docs/analysis.md', root), 'utf8'), renderer.renderAnalysisDoc());
});

test('every code is MESH and four digits, is used once, and the table is in their order', (t) => {
  const codes = Object.values(MESSAGE_CODES).map(({ code }) => code);
  t.true(codes.every((code) => /^MESH\d{4}$/.test(code)));
  t.deepEqual(codes, [...new Set(codes)].sort());
});
