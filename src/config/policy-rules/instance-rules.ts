import { nearestName } from '../../base/nearest-name.js';
import type { AttributeTypes, ExpressionLanguage } from '../../expressions/expression-types.js';
import { firstViolations } from '../policy/limits.js';
import type { Violation } from '../violation.js';
import { COMPILED_TEMPLATES } from './catalogue/compiled-templates.js';
import type { TemplateFields } from './catalogue/template-fields.js';
import { certainViolations, type ExpressionField } from './check-field.js';
import type { InstanceSpec } from './instance.js';
import { anyFields, type FoundField, templateFields } from './instance-fields.js';
import { RULE_LIMITS } from './limits.js';

/** Rules of an instance that its schema cannot express. */
export function validateInstance(
  spec: InstanceSpec,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): readonly Violation[] {
  return firstViolations(instanceViolations(spec, attributes, language));
}

/**
 * The expressions of a valid instance.
 *
 * @param fields those of a template of one's own. Without them, its expressions may have any type
 */
export function instanceExpressions(spec: InstanceSpec, fields?: TemplateFields): readonly ExpressionField[] {
  const found = fields === undefined ? fieldsOf(spec) : templateFields(spec.template ?? '', fields, spec.params);
  return [...found].flatMap((each) => (each.type === 'expression' ? [each.field] : []));
}

function* instanceViolations(
  spec: InstanceSpec,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): Iterable<Violation> {
  const { compiledTemplate, attributeBindings } = spec;
  const template = COMPILED_TEMPLATES.get(compiledTemplate ?? '');
  if (compiledTemplate !== undefined && template === undefined) {
    yield {
      path: 'compiledTemplate',
      value: compiledTemplate,
      message: 'is not a built-in template',
      remedy: nameRemedy(compiledTemplate, COMPILED_TEMPLATES.keys(), 'template'),
    };
    return;
  }
  if (template !== undefined && template.variety !== 'attributes' && Object.keys(attributeBindings).length > 0) {
    yield {
      path: 'attributeBindings',
      value: attributeBindings,
      message: `is set, but handlers of the template ${template.name} add no attributes`,
      remedy: 'remove it',
    };
  }
  let count = 0;
  let length = 0;
  for (const found of fieldsOf(spec)) {
    count += 1;
    length += found.type === 'expression' ? found.field.text.length : 0;
    if (count > RULE_LIMITS.instanceExpressions || length > RULE_LIMITS.instanceLength) {
      const { instanceExpressions, instanceLength } = RULE_LIMITS;
      const message = `has more than ${instanceExpressions} expressions or ${instanceLength} characters in them`;
      yield { path: 'params', message, remedy: 'spread them over several instances' };
      return;
    }
    if (found.type === 'mistake') yield found.violation;
    else yield* certainViolations([found.field], attributes, language);
  }
}

function fieldsOf({ compiledTemplate, params }: InstanceSpec): Iterable<FoundField> {
  if (compiledTemplate === undefined) return anyFields('params', params);
  const template = COMPILED_TEMPLATES.get(compiledTemplate);
  if (template === undefined || template.idle !== undefined) return [];
  return templateFields(template.name, template.fields, params);
}

/** What to do about a name that is not built in. @param kind the kind for objects of one's own */
export function nameRemedy(name: string, known: Iterable<string>, kind: 'adapter' | 'template'): string {
  const names = [...known];
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return `use one of ${names.join(', ')}, or name an object of kind ${kind} in ${kind}`;
}
