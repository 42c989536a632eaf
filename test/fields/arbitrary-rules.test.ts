import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import type { MeshObject } from '../../src/config/object.js';
import { COMPILED_ADAPTERS } from '../../src/config/policy-rules/catalogue/compiled-adapters.js';
import { COMPILED_TEMPLATES } from '../../src/config/policy-rules/catalogue/compiled-templates.js';
import { RULE_KINDS } from '../../src/config/policy-rules/kind-names.js';
import { compileRules } from '../../src/model/policy/rules/rule-set.js';
import { analysisInputOf } from '../../src/status/analysis/analysis-input.js';
import { analyze } from '../../src/status/analysis/analyze.js';
import { contextOf } from '../model/mesh-objects.js';
import { ENFORCEMENT } from '../status/analysis/support.js';
import { ACCOUNTS } from '../support/adapter-descriptors.js';
import fc from '../support/property-testing.js';
import { arbitrarySpec, type ValuePools } from './arbitrary-spec.js';
import { repair } from './repair.js';

/** Of each kind. */
const OBJECTS = 100;
const SEED = Number(process.env['ARBITRARY_SEED'] ?? 1);
const registry = createKindRegistry('mesh.internal');

/** Names of the objects below, so that references meet, and expressions of all types. */
const NAMES = ['o1', 'o2', 'o3.shop', 'o4.handler.shop', 'o5.instance.default'];
const EXPRESSIONS = [
  'true',
  'request.path',
  'request.size | 0',
  'request.tier == "a"',
  'a.output.b',
  'request.path ==',
  '7',
];
const POOLS: ValuePools = {
  byField: {
    handler: NAMES,
    instances: NAMES,
    adapter: NAMES,
    template: NAMES,
    templates: NAMES,
    compiledAdapter: [...COMPILED_ADAPTERS.keys()],
    compiledTemplate: [...COMPILED_TEMPLATES.keys()],
    match: EXPRESSIONS,
    values: EXPRESSIONS,
    attributeExpression: EXPRESSIONS,
    descriptor: [ACCOUNTS, 'CgMKAWE='],
    config: [ACCOUNTS, 'CgMKAWE='],
    address: ['a.shop:9000'],
    timeout: ['1s'],
    samplingDuration: ['1s'],
  },
  only: new Set(),
};

function acceptedObjects(kind: string): readonly MeshObject[] {
  const definition = registry.definitions.find((each) => each.kind === kind);
  if (definition === undefined) throw new Error(`no kind ${kind}`);
  const read = (object: unknown) => registry.read(object, { defaultNamespace: 'default' });
  const specs = fc.sample(arbitrarySpec(definition.schema, POOLS), { numRuns: OBJECTS, seed: SEED });
  return specs.flatMap((spec, index) => {
    const metadata = { name: `o${index}`, namespace: ['default', 'shop', 'mesh-system'][index % 3] };
    const repaired = repair({ apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata, spec }, read);
    const result = repaired && read(repaired);
    return result?.type === 'object' ? [result.object] : [];
  });
}

test('nothing fails for arbitrary objects of the policy runtime, in every language', (t) => {
  const objects = RULE_KINDS.flatMap((kind) => {
    const accepted = acceptedObjects(kind);
    t.log(`${kind}: ${accepted.length} of ${OBJECTS} accepted`);
    t.true(accepted.length > OBJECTS / 20, kind);
    return accepted;
  });
  const context = contextOf(objects);
  for (const expressionLanguage of ['legacy', 'compat', 'cel'] as const) {
    const messages = analyze(analysisInputOf(context, { ...ENFORCEMENT, expressionLanguage }));
    t.deepEqual(
      messages.filter(({ code }) => code === 'MESH0001').map(({ message }) => message),
      [],
    );
    t.true(messages.length > objects.length);
    const { rules, problems } = compileRules(context, expressionLanguage);
    t.true(rules.length > 0 && problems.size > 0, `${rules.length} rules, ${problems.size} with problems`);
  }
});
