import test from 'ava';
import type { Finding, Report } from '../../src/analyze/finding.js';
import { renderJson } from '../../src/analyze/render-json.js';
import { renderText } from '../../src/analyze/render-text.js';

const FINDING: Finding = {
  code: 'MESH0101',
  level: 'Error',
  file: 'routes/reviews.yaml',
  line: 14,
  object: 'VirtualService/shop/reviews',
  field: 'spec.http[0].route[0].destination.subset',
  message: 'the host reviews has no subset v3',
  remedy: 'create the resource, or correct name and namespace of the reference',
  excerpt: 'subset: v3',
};
const REPORT: Report = { findings: [FINDING], files: 1, objects: 2, skipped: 1, leftOut: 2 };

test('a finding shows place, level, code, object, field, source line, message, remedy and anchor', (t) => {
  t.is(
    renderText(REPORT, { colors: false, width: undefined }),
    `routes/reviews.yaml:14  error  MESH0101
  VirtualService shop/reviews  spec.http[0].route[0].destination.subset
  14 │ subset: v3
  the host reviews has no subset v3
  fix: create the resource, or correct name and namespace of the reference
  see docs/analysis.md#mesh0101

1 error in 2 objects in 1 file
skipped 1 object of kinds that the mesh does not read
left out 2 messages about objects that the input lacks; --complete reports them if the input is the whole mesh
`,
  );
});

test('without findings the summary says so', (t) => {
  const report: Report = { findings: [], files: 2, objects: 5, skipped: 0, leftOut: 0 };
  t.is(renderText(report, { colors: false, width: undefined }), 'no findings in 5 objects in 2 files\n');
});

test('lines wrap at the width of the terminal, and colours are used only if asked for', (t) => {
  const long: Finding = { ...FINDING, message: 'word '.repeat(40).trim() };
  const plain = renderText({ ...REPORT, findings: [long] }, { colors: false, width: 70 });
  t.true(plain.split('\n').every((line) => line.length <= 70 || line.startsWith('left out') || line.includes('spec.')));
  t.false(plain.includes('\u001B'));
  t.true(renderText(REPORT, { colors: true, width: 70 }).includes('\u001B[31;1merror\u001B[0m'));
});

test('control characters of objects do not reach the terminal', (t) => {
  const hostile: Finding = { ...FINDING, message: 'a\u001B[2Jb', excerpt: 'x\u0007' };
  const shown = renderText({ ...REPORT, findings: [hostile] }, { colors: false, width: undefined });
  t.false(shown.includes('\u001B') || shown.includes('\u0007'));
});

test('JSON has the fields of each finding, the parts of its object, and the summary', (t) => {
  const { findings, summary } = JSON.parse(renderJson(REPORT));
  const { excerpt: _, object: _key, ...fields } = FINDING;
  t.deepEqual(findings, [
    {
      ...fields,
      object: { kind: 'VirtualService', namespace: 'shop', name: 'reviews' },
      documentation: 'docs/analysis.md#mesh0101',
    },
  ]);
  t.deepEqual(summary, { files: 1, objects: 2, skipped: 1, leftOut: 2 });
});
