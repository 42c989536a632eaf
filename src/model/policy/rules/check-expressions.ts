import type { MeshObject } from '../../../config/object.js';
import { attributeTypes } from '../../../config/policy-rules/attribute-types.js';
import type { TemplateFields } from '../../../config/policy-rules/catalogue/template-fields.js';
import { checkField, type ExpressionField } from '../../../config/policy-rules/check-field.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import { instanceExpressions } from '../../../config/policy-rules/instance-rules.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import { ruleExpressions } from '../../../config/policy-rules/rule-rules.js';
import type { AttributeTypes, ExpressionLanguage } from '../../../expressions/expression-types.js';
import { createMemo } from '../../memo.js';
import { type DeclaredAttributes, declaredAttributes } from './declared-attributes.js';
import { resolveTemplate } from './resolve-template.js';
import { expressionProblem, type RuleProblem } from './rule-problem.js';
import type { RuleSource } from './rule-source.js';

const problems = createMemo<readonly RuleProblem[]>();
const types = createMemo<AttributeTypes>();

/** The attributes that expressions of a namespace may read. */
export function attributesOf(source: RuleSource, namespace: string): AttributeTypes {
  return typesOf(declaredAttributes(source, namespace));
}

/** The expressions of a rule or instance that are wrong with the attributes of its namespace. */
export function expressionProblems(
  object: MeshObject,
  source: RuleSource,
  language: ExpressionLanguage,
): readonly RuleProblem[] {
  const declared = declaredAttributes(source, object.metadata.namespace);
  const template = ownTemplate(object, source);
  return problems.of([declared.types, template?.object ?? declared.types, object], language, () => {
    const attributes = typesOf(declared);
    return [...expressionsOf(object, template?.fields)].flatMap((field) => {
      const check = checkField(field, attributes, language);
      if (check.type === 'valid') return [];
      if (check.type === 'invalid') return expressionProblem(check.violation);
      if (check.names.every((name) => isOutput(name, object))) return [];
      const text = `${JSON.stringify(field.text)} cannot be evaluated: ${check.message}`;
      return { type: 'expression', field: field.path, text };
    });
  });
}

function typesOf({ types: declared }: DeclaredAttributes): AttributeTypes {
  return types.of([declared], '', () => attributeTypes(declared));
}

/** The template of an instance, if it is an object; it says which types the fields need. */
function ownTemplate(object: MeshObject, source: RuleSource) {
  if (object.kind !== 'instance') return undefined;
  const template = resolveTemplate(object, source);
  return 'unresolved' in template || template.type === 'compiled' ? undefined : template;
}

function expressionsOf({ kind, body }: MeshObject, fields: TemplateFields | undefined): Iterable<ExpressionField> {
  return kind === 'rule' ? ruleExpressions(body as RuleSpec) : instanceExpressions(body as InstanceSpec, fields);
}

/** Whether a name is, or begins, an output of an action: `plan.output.value`. The adapter decides about its type. */
function isOutput(name: string, { kind, body }: MeshObject): boolean {
  const [action, output = 'output'] = name.split('.');
  return kind === 'rule' && output === 'output' && (body as RuleSpec).actions.some((each) => each.name === action);
}
