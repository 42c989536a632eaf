import test from 'ava';
import { parseOptions } from '../../../src/cli/parse-options.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_NETWORKING_FEATURES } from '../../../src/config/networking/networking-kinds.js';
import { analyzeTexts } from '../../analyze/support.js';
import { ENFORCEMENT } from '../../status/analysis/support.js';
import { problemsOf } from './support.js';

/** A default of the legacy language, and a choice of CEL. */
const LEGACY = '(request.headers["x-user"] | "none") == "ann"';
const CEL = 'request.size > 5 ? true : false';

/** Whether a rule with each expression is valid. */
function accepts(variable: string | undefined): readonly boolean[] {
  const { environment } = parseOptions(new Map(), variable === undefined ? {} : { MESH_LANG: variable });
  const features = { ...DEFAULT_NETWORKING_FEATURES, expressionLanguage: environment.meshLang };
  const kinds = createKindRegistry('mesh.internal', undefined, features);
  return [LEGACY, CEL].map((match) => problemsOf('rule', { match }, kinds).length === 0);
}

test('MESH_LANG decides in which language rules are read', (t) => {
  t.deepEqual(accepts(undefined), [true, false]);
  t.deepEqual(accepts('legacy'), [true, false]);
  t.deepEqual(accepts('compat'), [true, false]);
  t.deepEqual(accepts('cel'), [false, true]);
});

test('analysis reads rules in the same language', async (t) => {
  const rule = JSON.stringify({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'rule',
    metadata: { name: 'r', namespace: 'shop' },
    spec: { match: CEL, actions: [] },
  });
  const errors = async (expressionLanguage: 'legacy' | 'cel') => {
    const { findings } = await analyzeTexts(
      { 'rule.yaml': rule },
      { enforcement: { ...ENFORCEMENT, expressionLanguage } },
    );
    return findings.filter(({ level }) => level === 'Error').map(({ code }) => code);
  };
  t.deepEqual(await errors('legacy'), ['MESH0106']);
  t.deepEqual(await errors('cel'), []);
});
