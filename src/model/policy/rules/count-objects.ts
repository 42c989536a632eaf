import { ATTRIBUTE_VOCABULARY } from '../../../config/attributes/attribute-vocabulary.js';
import type { MeshObject } from '../../../config/object.js';
import type { AttributeManifestSpec } from '../../../config/policy-rules/attribute-manifest.js';
import type { RuleCounts } from '../../../config/policy-rules/rule-counts.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { expressionProblems } from './check-expressions.js';
import { missingTemplates } from './resolve-adapter.js';
import { resolveHandler, resolveInstance } from './resolve-handler.js';
import type { RuleSet } from './rule-set.js';
import type { RuleSource } from './rule-source.js';

/** Objects that are refused are not in a snapshot, so that they are not counted. */
export function countObjects(source: RuleSource, language: ExpressionLanguage, { problems }: RuleSet): RuleCounts {
  const all = (kind: string): readonly MeshObject[] => [...(source.objects.get(kind)?.values() ?? [])];
  const invalid = (kind: string, isInvalid: (object: MeshObject) => boolean): number =>
    all(kind).filter(isInvalid).length;
  const fields = [...problems.values()].map((found) =>
    found.flatMap(({ type, field }) => (type === 'expression' ? field : [])),
  );
  return {
    adapters: all('adapter').length,
    invalidAdapters: invalid('adapter', (object) => missingTemplates(object, source).length > 0),
    attributes: new Set([...VOCABULARY, ...all('attributemanifest').flatMap(declaredIn)]).size,
    handlers: all('handler').length,
    invalidHandlers: invalid('handler', (object) => 'unresolved' in resolveHandler(object, source)),
    instances: all('instance').length,
    invalidInstances: invalid(
      'instance',
      (object) =>
        'unresolved' in resolveInstance(object, source) || expressionProblems(object, source, language).length > 0,
    ),
    rules: all('rule').length,
    invalidRules: problems.size,
    invalidMatches: fields.filter((of) => of.includes('match')).length,
    templates: all('template').length,
    // A snapshot has no template that cannot be read.
    invalidTemplates: 0,
  };
}

const VOCABULARY: readonly string[] = ATTRIBUTE_VOCABULARY.map(({ name }) => name);

function declaredIn({ body }: MeshObject): readonly string[] {
  return Object.keys((body as AttributeManifestSpec).attributes);
}
