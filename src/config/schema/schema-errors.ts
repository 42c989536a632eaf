import type { ErrorObject } from 'ajv';
import { isRecord } from '../../base/record.js';
import { childPath, type Violation } from '../violation.js';

export interface TranslatedErrors {
  readonly violations: readonly Violation[];
  /** Number of errors beyond the limit. */
  readonly omitted: number;
}

/** Translates at most `limit` of ajv's errors (with `verbose`) into violations. The branches of a choice give one violation. */
export function translateSchemaErrors(errors: readonly ErrorObject[], limit: number): TranslatedErrors {
  const listed = errors.filter((error) => !isInsideChoice(error) && !isConsequence(error));
  return {
    violations: listed.slice(0, limit).map(translateSchemaError),
    omitted: Math.max(0, listed.length - limit),
  };
}

/** Whether another error already tells the user about the mistake. */
function isConsequence(error: ErrorObject): boolean {
  return isChoiceInNonObject(error) || isPatternOfEmptyText(error);
}

/** A choice between fields, in a value that is not an object: the error of its type suffices. */
function isChoiceInNonObject({ keyword, data, parentSchema }: ErrorObject): boolean {
  return keyword === 'oneOf' && parentSchema?.['type'] === 'object' && !isRecord(data);
}

/** The pattern of an empty text: the error that it is empty suffices. */
function isPatternOfEmptyText({ keyword, data, parentSchema }: ErrorObject): boolean {
  return keyword === 'pattern' && data === '' && Number(parentSchema?.['minLength'] ?? 0) > 0;
}

function isInsideChoice(error: ErrorObject): boolean {
  return /\/(?:anyOf|oneOf)\/\d+\//.test(error.schemaPath);
}

function translateSchemaError(error: ErrorObject): Violation {
  const path = pointerToPath(error.instancePath);
  const value: unknown = isSecret(error) ? undefined : error.data;
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'required':
      return {
        path: childPath(path, String(params['missingProperty'])),
        message: 'is missing',
        remedy: descriptionOf(error, String(params['missingProperty']))?.replace(/^it is/, 'add it') ?? 'add it',
      };
    case 'type':
      return { path, value, ...wrongType(String(params['type']), value) };
    case 'enum':
      return {
        path,
        value,
        message: 'is not one of the allowed values',
        remedy: `use ${listOf(params['allowedValues'])}`,
      };
    case 'minimum':
    case 'maximum':
      return { path, value, message: 'is out of range', remedy: rangeOf(error) };
    case 'minItems':
      return { path, value, message: 'has too few items', remedy: `give at least ${String(params['limit'])}` };
    case 'maxItems':
    case 'maxProperties':
      return { path, value, message: 'has too many items', remedy: `give at most ${String(params['limit'])}` };
    case 'minProperties':
      return { path, value, message: 'has too few fields', remedy: atLeastFields(error) };
    case 'minLength':
      return { path, value, message: 'is empty', remedy: descriptionOf(error) ?? 'give a text' };
    case 'maxLength':
      return { path, value, message: 'is too long', remedy: `use at most ${String(params['limit'])} characters` };
    case 'pattern':
      return { path, value, message: 'does not have the required form', remedy: descriptionOf(error) ?? 'correct it' };
    case 'not':
      return { path, value, ...wrongCompany(error) };
    case 'anyOf':
    case 'oneOf':
      return { path, value, ...wrongChoice(error) };
    default:
      return {
        path,
        value,
        message: error.message ?? `breaks the rule ${error.keyword}`,
        remedy: descriptionOf(error) ?? 'correct it',
      };
  }
}

/** The value of a field that may be a credential is not shown. */
function isSecret({ parentSchema }: ErrorObject): boolean {
  return parentSchema?.['writeOnly'] === true;
}

function wrongType(expected: string, value: unknown): Pick<Violation, 'message' | 'remedy'> {
  if (typeof value === 'number' && !Number.isFinite(value))
    return { message: 'is not finite', remedy: 'give a number' };
  const message = `is ${typeName(value)}, not ${articleFor(expected)} ${expected}`;
  const scalar = typeof value === 'number' || typeof value === 'boolean';
  if (expected === 'string' && scalar) return { message, remedy: 'put it in quotes' };
  if (expected === 'array') return { message, remedy: 'write a list, each item on a line that starts with "-"' };
  if (expected === 'object') return { message, remedy: 'write fields as "name: value"' };
  return { message, remedy: `give ${articleFor(expected)} ${expected}` };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `a ${typeof value}`;
}

function articleFor(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a';
}

function rangeOf(error: ErrorObject): string {
  const { minimum, maximum } = (error.parentSchema ?? {}) as { readonly minimum?: number; readonly maximum?: number };
  if (maximum === undefined) return `use ${minimum} or more`;
  return minimum === undefined ? `use ${maximum} or less` : `use ${minimum} to ${maximum}`;
}

function atLeastFields(error: ErrorObject): string {
  const { properties = {} } = (error.parentSchema ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> };
  const names = Object.keys(properties);
  const limit = String((error.params as { readonly limit?: unknown }).limit);
  return names.length === 0 ? `give at least ${limit}` : `give at least ${limit} of ${names.join(', ')}`;
}

/** Schemas express fields that exclude one another as `not: {required: [fields]}`. */
function wrongCompany(error: ErrorObject): Pick<Violation, 'message' | 'remedy'> {
  const { required = [] } = error.schema as { readonly required?: readonly string[] };
  return { message: `sets ${required.join(' and ')} together`, remedy: 'keep one of them' };
}

/** Describes the branches of an anyOf or oneOf: by the field that each requires, or by type. */
function wrongChoice(error: ErrorObject): Pick<Violation, 'message' | 'remedy'> {
  const branches = error.schema as readonly { readonly type?: string; readonly required?: readonly string[] }[];
  const fields = branches.flatMap((branch) => branch.required ?? []);
  if (fields.length > 0) {
    const set = fields.filter((field) => isRecord(error.data) && error.data[field] !== undefined);
    const message = set.length === 0 ? `sets none of ${fields.join(', ')}` : `sets ${set.join(' and ')} together`;
    return { message, remedy: `set exactly one of ${fields.join(', ')}` };
  }
  if (branches.some(({ type }) => type === typeof error.data)) {
    return { message: 'does not have the required form', remedy: descriptionOf(error) ?? 'correct it' };
  }
  return {
    message: 'has none of the allowed forms',
    remedy: `give ${branches.map((branch) => `${articleFor(branch.type ?? '')} ${branch.type}`).join(' or ')}`,
  };
}

function descriptionOf(error: ErrorObject, property?: string): string | undefined {
  const parent = error.parentSchema as
    | {
        readonly description?: string;
        readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
      }
    | undefined;
  const description = property === undefined ? parent?.description : parent?.properties?.[property]?.description;
  return description === undefined ? undefined : `it is: ${description.replace(/\.$/, '')}`;
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.map(String).join(', ') : String(values);
}

function pointerToPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => childPath(path, /^\d+$/.test(step) ? Number(step) : step), '');
}
