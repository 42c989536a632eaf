import { nearestName } from '../../base/nearest-name.js';
import { isRecord } from '../../base/record.js';
import { childPath, type Violation } from '../violation.js';
import { camelCase } from './catalogue/canonical-fields.js';
import type { TemplateField, TemplateFields } from './catalogue/template-fields.js';
import type { ExpressionField } from './check-field.js';
import { RULE_LIMITS } from './limits.js';

/** What reading the fields of an instance finds: expressions, and mistakes of its structure. */
export type FoundField =
  | { readonly type: 'expression'; readonly field: ExpressionField }
  | { readonly type: 'mistake'; readonly violation: Violation };

/** Reads the fields of an instance of a template whose fields are known. */
export function* templateFields(template: string, fields: TemplateFields, params: unknown): Iterable<FoundField> {
  yield* messageFields('params', `the template ${template}`, fields, params);
}

/** Reads the fields of an instance without its template, which is an object of its own: each text is an expression. */
export function* anyFields(path: string, value: unknown, depth = 0): Iterable<FoundField> {
  if (depth > RULE_LIMITS.instanceDepth) {
    const message = `has more than ${RULE_LIMITS.instanceDepth} levels`;
    yield mistake(path, undefined, message, 'use fewer levels');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* anyFields(childPath(path, index), item, depth + 1);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) yield* anyFields(childPath(path, key), item, depth + 1);
  } else if (value !== null) yield* expression(path, value, 'any');
}

function* messageFields(path: string, owner: string, fields: TemplateFields, value: unknown): Iterable<FoundField> {
  if (!isRecord(value)) {
    yield mistake(path, value, 'is not a mapping', 'write fields as "name: expression"');
    return;
  }
  const seen = new Set<string>();
  for (const [written, each] of Object.entries(value)) {
    const name = Object.hasOwn(fields, written) ? written : camelCase(written);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const at = childPath(path, written);
    if (field === undefined) yield mistake(at, each, `is not a field of ${owner}`, nearestField(name, fields));
    else if (seen.has(name)) yield mistake(at, each, `repeats ${name} in another spelling`, 'keep one of them');
    // The API server treats null as absent.
    else if (each !== null) {
      seen.add(name);
      yield* oneField(at, owner, field, each);
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.type === 'value' && field.isRequired === true && !seen.has(name)) {
      yield mistake(childPath(path, name), undefined, 'is missing', `add an expression, which ${owner} needs`);
    }
  }
}

function* oneField(path: string, owner: string, field: TemplateField, value: unknown): Iterable<FoundField> {
  switch (field.type) {
    case 'value':
      yield* expression(path, value, field.valueType);
      return;
    case 'message':
      yield* messageFields(path, owner, field.fields, value);
      return;
    case 'values':
      if (!isRecord(value)) {
        // One expression for the whole map, for example request.headers.
        if (field.valueType === 'STRING' && typeof value === 'string') yield* expression(path, value, 'STRING_MAP');
        else yield mistake(path, value, 'is not a mapping', 'write items as "name: expression"');
      } else {
        for (const [key, each] of Object.entries(value)) {
          if (each !== null) yield* expression(childPath(path, key), each, field.valueType ?? 'any');
        }
      }
  }
}

/** A number, true or false is an expression without quotes. */
function* expression(path: string, value: unknown, needs: ExpressionField['needs']): Iterable<FoundField> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    yield { type: 'expression', field: { path, text: String(value), needs } };
  } else yield mistake(path, value, 'is not an expression', 'write a text, for example request.path');
}

function mistake(path: string, value: unknown, message: string, remedy: string): FoundField {
  return { type: 'mistake', violation: { path, ...(value === undefined ? {} : { value }), message, remedy } };
}

function nearestField(name: string, fields: TemplateFields): string {
  const names = Object.keys(fields);
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return names.length === 0 ? 'remove it' : `its fields are ${names.join(', ')}`;
}
