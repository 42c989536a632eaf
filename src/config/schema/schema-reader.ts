import type { Static, TSchema } from 'typebox';
import { childPath, MAX_TOLD_VIOLATIONS, type Violation } from '../violation.js';
import { createBodyCopier, type UnknownField } from './body-copier.js';
import type { Immutable } from './immutable.js';
import { nearestName } from './nearest-name.js';
import { translateSchemaErrors } from './schema-errors.js';
import { preparedValidators, type Validator, type ValidatorsOf } from './validators.js';

export type SchemaReadResult<Value> =
  | {
      readonly type: 'valid';
      readonly value: Value;
      /** Fields that the schema does not know, left out of the value. */
      readonly unknownFields: readonly Violation[];
    }
  | {
      readonly type: 'invalid';
      /** The first hundred. */
      readonly violations: readonly Violation[];
      /** Violations beyond those. */
      readonly omitted: number;
      readonly unknownFields: readonly Violation[];
    };

export interface SchemaReader<Value> {
  /** Copies, defaults and checks parsed input; the input itself is not changed. */
  read(input: unknown): SchemaReadResult<Value>;
}

/** Makes readers of schemas. */
export interface SchemaCompiler {
  compile<Schema extends TSchema>(
    schema: Schema,
    unknownFields: 'reported' | 'ignored',
  ): SchemaReader<Immutable<Static<Schema>>>;
}

/** Unknown fields per object that are told; a broken list of thousands is one mistake, not thousands. */
const MAX_UNKNOWN_FIELDS = 20;

/** Values of an object of which all violations are looked for; of more, the first is told. */
const MAX_EXPLAINED_VALUES = 20_000;

/**
 * Of an object with a longer text, the first violation is told: that the text is too long. To look for all, its pattern
 * would be tried as well, and V8 runs out of stack where a group repeats a million times.
 */
const MAX_EXPLAINED_TEXT = 64 * 1024;

/** @param validatorsOf default: the validators that the build has prepared */
export function createSchemaCompiler(validatorsOf: ValidatorsOf = preparedValidators): SchemaCompiler {
  return {
    compile: <Schema extends TSchema>(schema: Schema, unknown: 'reported' | 'ignored') => {
      type Value = Immutable<Static<Schema>>;
      const copy = createBodyCopier(schema);
      const validators = validatorsOf(schema);
      // A mesh has objects of some kinds, and few of them are invalid.
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
          // A million mistakes in one object would take seconds to be looked for.
          const errors = (isTooLargeToExplain(value) ? fits.errors : explain(value)) ?? [];
          return { type: 'invalid', ...translateSchemaErrors(errors, MAX_TOLD_VIOLATIONS), unknownFields };
        },
      };
    },
  };
}

/** Whether something parsed has too many values in it, or too long a text; looks at no more than it needs for that. */
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
