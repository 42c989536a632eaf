import { isRecord } from '../../base/record.js';
import { camelCase } from '../../config/policy-rules/catalogue/canonical-fields.js';
import { COMPILED_TEMPLATES } from '../../config/policy-rules/catalogue/compiled-templates.js';
import type { TemplateFields } from '../../config/policy-rules/catalogue/template-fields.js';
import { templateFieldsOf } from '../../config/policy-rules/descriptors/template-fields-of.js';
import type { TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { RegexPrograms } from '../../config/regex/regex-programs.js';
import { type CompiledExpression, compileExpression } from '../../expressions/compile-expression.js';
import type { AttributeReader, ExpressionLanguage, ValueType } from '../../expressions/expression-types.js';
import type { AttributeValue } from '../client/attribute-value.js';
import type { Instance, InstanceTypes } from './instance.js';
import type { InstanceObject, InstanceTemplate, Variety } from './rule-objects.js';

/** An instance, ready to be made of requests. */
export interface CompiledInstance {
  readonly key: string;
  readonly name: string;
  readonly fullName: string;
  readonly template: string;
  readonly variety: Variety;
  /** Of a template of one's own. */
  readonly wire: TemplateWire | undefined;
  readonly types: InstanceTypes;
  /** Names of the attributes that it reads. */
  readonly reads: readonly string[];
  /** A text for a request that lacks a value: it names the field and the reason. */
  build(bag: AttributeReader, meter: MatchMeter): Instance | string;
}

interface Field {
  /** Empty for a value of its own, else the map that it is in. */
  readonly map: string;
  /** Undefined for an expression whose value is the whole map. */
  readonly name: string | undefined;
  readonly expression: CompiledExpression;
}

/**
 * Compiles the expressions of an instance. `undefined` for a template whose instances are never made.
 *
 * @throws ExpressionSyntaxError for an expression that validation rejects
 */
export function compileInstance(
  { key, spec, template, attributes }: InstanceObject,
  language: ExpressionLanguage,
  programs: RegexPrograms,
): CompiledInstance | undefined {
  const { name: templateName, variety, templateFields, wire } = templateOf(template);
  if (variety === 'attributes') return undefined;
  const compile = (text: string): CompiledExpression => compileExpression(text, attributes, language, { programs });
  const fields = [...fieldsOf('', templateFields, spec.params, compile)];
  const fullName = key.slice(key.indexOf('/') + 1);
  const name = fullName.slice(fullName.indexOf('/') + 1);
  const types = typesOf(fields);
  return {
    key,
    name,
    fullName,
    template: templateName,
    variety,
    wire,
    types,
    reads: fields.flatMap(({ expression }) => expression.reads),
    build: (bag, meter) => {
      const values = new Map<string, AttributeValue>();
      const maps = new Map<string, Map<string, AttributeValue>>();
      for (const field of fields) {
        const result = field.expression.evaluate(bag, meter);
        if (result.type === 'error') return `${fieldPath(field)}: ${result.message}`;
        if (field.name !== undefined) entriesOf(field.map, values, maps).set(field.name, result.value);
        else maps.set(field.map, textEntries(result.value));
      }
      return { name, fullName, template: templateName, values, maps, types, wire };
    },
  };
}

function templateOf(template: InstanceTemplate): {
  readonly name: string;
  readonly variety: Variety;
  readonly templateFields: TemplateFields;
  readonly wire: TemplateWire | undefined;
} {
  if (template.type === 'own') {
    const { wire } = template;
    return { name: wire.name, variety: wire.variety, templateFields: templateFieldsOf(wire.fields), wire };
  }
  const { name, variety } = template.template;
  return { name, variety, templateFields: COMPILED_TEMPLATES.get(name)?.fields ?? {}, wire: undefined };
}

function typesOf(fields: readonly Field[]): InstanceTypes {
  const types = new Map<string, Map<string, ValueType>>();
  for (const { map, name, expression } of fields) {
    if (name === undefined) continue;
    const ofMap = types.get(map) ?? new Map<string, ValueType>();
    types.set(map, ofMap.set(name, expression.type));
  }
  return types;
}

function textEntries(value: AttributeValue): Map<string, AttributeValue> {
  const entries = value.type === 'stringMap' ? value.value : new Map<string, string>();
  return new Map(Array.from(entries, ([name, text]) => [name, { type: 'string', value: text }]));
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

/** Names of fields are those of the template, those of the entries of maps are as written. */
function* fieldsOf(
  map: string,
  templateFields: TemplateFields,
  params: Readonly<Record<string, unknown>>,
  compile: (text: string) => CompiledExpression,
): Iterable<Field> {
  for (const [written, value] of Object.entries(params)) {
    // The API server treats null as absent.
    if (value === null) continue;
    const name = Object.hasOwn(templateFields, written) ? written : camelCase(written);
    const field = templateFields[name];
    const path = map === '' ? name : `${map}.${name}`;
    if (field?.type === 'message' && isRecord(value)) yield* fieldsOf(path, field.fields, value, compile);
    else if (field?.type !== 'values') yield { map, name, expression: compile(String(value)) };
    else if (!isRecord(value)) yield { map: path, name: undefined, expression: compile(String(value)) };
    else {
      for (const [entry, each] of Object.entries(value)) {
        if (each !== null) yield { map: path, name: entry, expression: compile(String(each)) };
      }
    }
  }
}

function fieldPath({ map, name }: Field): string {
  return [map, name].filter((part) => part).join('.');
}
