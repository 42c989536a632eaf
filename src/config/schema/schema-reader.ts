import type { Static, TSchema } from 'typebox';
import { nearestName } from '../../base/nearest-name.js';
import { childPath, MAX_LISTED_VIOLATIONS, type Violation } from '../violation.js';
import { createBodyCopier, type UnknownField } from './body-copier.js';
import type { Immutable } from './immutable.js';
import { translateSchemaErrors } from './schema-errors.js';
import { preparedValidators, type Validator, type ValidatorsOf } from './validators.js';

export type SchemaReadResult<Value> =
  | {
      readonly type: 'valid';
      readonly value: Value;
      /** Fields that the schema does not have. The value does not contain them. */
      readonly unknownFields: readonly Violation[];
    }
  | {
      readonly type: 'invalid';
      /** The first 100. */
      readonly violations: readonly Violation[];
      /** Number of further violations. */
      readonly omitted: number;
      readonly unknownFields: readonly Violation[];
    };

export interface SchemaReader<Value> {
  /** Copies parsed input, fills in defaults and checks it. Does not change the input. */
  read(input: unknown): SchemaReadResult<Value>;
}

/** Makes readers of schemas. */
export interface SchemaCompiler {
  compile<Schema extends TSchema>(
    schema: Schema,
    unknownFields: 'reported' | 'ignored',
  ): SchemaReader<Immutable<Static<Schema>>>;
}

/** Listed unknown fields per object. Thousands of them usually have one cause. */
const MAX_UNKNOWN_FIELDS = 20;

/** An object with more values gets only its first violation, because finding all would take seconds. */
const MAX_EXPLAINED_VALUES = 20_000;

/**
 * An object with a longer text gets only its first violation: the text is too long. Finding all violations would also
 * match the pattern of the text, and V8 runs out of stack if a group repeats a million times.
 */
const MAX_EXPLAINED_TEXT = 64 * 1024;

/** @param validatorsOf default: the validators that the build has compiled */
export function createSchemaCompiler(validatorsOf: ValidatorsOf = preparedValidators): SchemaCompiler {
  return {
    compile: <Schema extends TSchema>(schema: Schema, unknown: 'reported' | 'ignored') => {
      type Value = Immutable<Static<Schema>>;
      const copy = createBodyCopier(schema);
      const validators = validatorsOf(schema);
      // Made at first use: most meshes have objects of few kinds, and few invalid objects.
      let fits: Validator | undefined;
      let explaining: Validator | undefined;
      const explain = (value: unknown): Validator['errors'] => {
        explaining ??= validators.all();
        explaining(value);
        return explaining.errors;
      };
      return {
        read: (input): SchemaReadResult<Value> => {
          const unknownFields: Violation[] = [];
          const value = copy(input, (field) => {
            if (unknown === 'reported' && unknownFields.length < MAX_UNKNOWN_FIELDS)
              unknownFields.push(unknownFieldViolation(field));
          });
          fits ??= validators.first();
          if (fits(value)) return { type: 'valid', value: value as Value, unknownFields };
          const errors = (isTooLargeToExplain(value) ? fits.errors : explain(value)) ?? [];
          return { type: 'invalid', ...translateSchemaErrors(errors, MAX_LISTED_VIOLATIONS), unknownFields };
        },
      };
    },
  };
}

/** Whether a parsed value has too many values in it, or too long a text. Stops as soon as it knows. */
function isTooLargeToExplain(root: unknown): boolean {
  const waiting: unknown[] = [root];
  let seen = 0;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isLongText(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    seen += values.length;
    if (seen > MAX_EXPLAINED_VALUES) return true;
    for (const each of values) {
      if (isLongText(each)) return true;
      if (typeof each === 'object' && each !== null) waiting.push(each);
    }
  }
  return false;
}

function isLongText(value: unknown): boolean {
  return typeof value === 'string' && value.length > MAX_EXPLAINED_TEXT;
}

function unknownFieldViolation({ path, field, value, known }: UnknownField): Violation {
  const nearest = nearestName(field, known);
  return {
    path: childPath(path.reduce<string>(childPath, ''), field),
    value,
    message: 'is not a known field',
    remedy: nearest === undefined ? `known fields here are ${known.join(', ')}` : `did you mean ${nearest}?`,
  };
}
