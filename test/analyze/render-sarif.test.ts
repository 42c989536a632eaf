import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import test from 'ava';
import type { Finding, Report } from '../../src/analyze/finding.js';
import { renderSarif } from '../../src/analyze/render-sarif.js';
import { projectRoot } from '../counterparts/project-root.js';

// The published schema of SARIF 2.1.0 (OASIS), without its descriptions.
const schema = JSON.parse(readFileSync(join(projectRoot(), 'test/analyze/sarif-2.1.0.schema.json'), 'utf8'));
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

const FINDING: Finding = {
  code: 'MESH0106',
  level: 'Error',
  file: 'mesh/my web.yaml',
  line: 4,
  object: 'QuotaSpec/shop/books',
  field: 'spec.rulez',
  message: '"rulez" is not a known field',
  remedy: 'use "rules"',
  excerpt: 'spec: {rulez: []}',
};
const report = (...findings: readonly Finding[]): Report => ({
  findings,
  files: 1,
  objects: 1,
  skipped: 0,
  leftOut: 0,
});

test('reports with and without findings, lines and files are valid SARIF 2.1.0', (t) => {
  const { file: _file, line: _line, excerpt: _excerpt, ...placeless } = FINDING;
  const { line: _, ...lineless } = { ...FINDING, file: '-', level: 'Warn' as const };
  for (const each of [report(), report(FINDING, lineless, { ...placeless, code: 'MESH9999', level: 'Info' })]) {
    t.true(validate(JSON.parse(renderSarif(each, '1.2.3'))), JSON.stringify(validate.errors));
  }
});

test('a finding is a result at its line, and its code a rule', (t) => {
  const [run] = JSON.parse(renderSarif(report(FINDING), '1.2.3')).runs;
  t.is(run.tool.driver.version, '1.2.3');
  t.deepEqual(
    run.tool.driver.rules.map(({ id }: { id: string }) => id),
    ['MESH0106'],
  );
  const [result] = run.results;
  t.is(result.level, 'error');
  t.is(result.message.text, '"rulez" is not a known field; use "rules"');
  t.deepEqual(result.locations[0], {
    physicalLocation: {
      artifactLocation: { uri: 'mesh/my%20web.yaml' },
      region: { startLine: 4, snippet: { text: 'spec: {rulez: []}' } },
    },
    logicalLocations: [{ fullyQualifiedName: 'QuotaSpec/shop/books spec.rulez', kind: 'object' }],
  });
});
