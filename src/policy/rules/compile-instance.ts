import { isRecord } from '../../base/record.js';
import { camelCase } from '../../config/policy-rules/catalogue/canonical-fields.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { RegexPrograms } from '../../config/regex/regex-programs.js';
import { type CompiledExpression, compileExpression } from '../../expressions/compile-expression.js';
import type { AttributeReader, ExpressionLanguage } from '../../expressions/expression-types.js';
import type { AttributeValue } from '../client/attribute-value.js';
import type { Instance } from './instance.js';
import type { InstanceObject, Variety } from './rule-objects.js';

/** An instance, ready to be made of requests. */
export interface CompiledInstance {
  readonly key: string;
  readonly name: string;
  readonly fullName: string;
  readonly template: string;
  readonly variety: Variety;
  /** Names of the attributes that it reads. */
  readonly reads: readonly string[];
  /** A text for a request that lacks a value: it names the field and the reason. */
  build(bag: AttributeReader, meter: MatchMeter): Instance | string;
}

interface Field {
  /** Empty for a value of its own, else the map that it is in. */
  readonly map: string;
  readonly name: string;
  readonly expression: CompiledExpression;
}

/**
 * Compiles the expressions of an instance. `undefined` for a template that does not run here.
 *
 * @throws ExpressionSyntaxError for an expression that validation rejects
 */
export function compileInstance(
  { key, spec, template, attributes }: InstanceObject,
  language: ExpressionLanguage,
  programs: RegexPrograms,
): CompiledInstance | undefined {
  if (template.type === 'own') return undefined;
  const compile = (text: string): CompiledExpression => compileExpression(text, attributes, language, { programs });
  const params = Object.fromEntries(Object.entries(spec.params).map(([name, value]) => [camelCase(name), value]));
  const fields = [...fieldsOf('', params, compile)];
  const fullName = key.slice(key.indexOf('/') + 1);
  const name = fullName.slice(fullName.indexOf('/') + 1);
  return {
    key,
    name,
    fullName,
    template: template.template.name,
    variety: template.template.variety,
    reads: fields.flatMap(({ expression }) => expression.reads),
    build: (bag, meter) => {
      const values = new Map<string, AttributeValue>();
      const maps = new Map<string, Map<string, AttributeValue>>();
      for (const field of fields) {
        const result = field.expression.evaluate(bag, meter);
        if (result.type === 'error') return `${fieldPath(field)}: ${result.message}`;
        entriesOf(field.map, values, maps).set(field.name, result.value);
      }
      return { name, fullName, template: template.template.name, values, maps };
    },
  };
}

function entriesOf(
  map: string,
  values: Map<string, AttributeValue>,
  maps: Map<string, Map<string, AttributeValue>>,
): Map<string, AttributeValue> {
  if (map === '') return values;
  const known = maps.get(map);
  if (known !== undefined) return known;
  const made = new Map<string, AttributeValue>();
  maps.set(map, made);
  return made;
}

function* fieldsOf(
  map: string,
  params: Readonly<Record<string, unknown>>,
  compile: (text: string) => CompiledExpression,
): Iterable<Field> {
  for (const [name, value] of Object.entries(params)) {
    if (isRecord(value)) yield* fieldsOf(map === '' ? name : `${map}.${name}`, value, compile);
    // The API server treats null as absent.
    else if (value !== null) yield { map, name, expression: compile(String(value)) };
  }
}

function fieldPath({ map, name }: Field): string {
  return map === '' ? name : `${map}.${name}`;
}
