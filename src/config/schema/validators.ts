import { hash } from 'node:crypto';
import type { ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';
import { validators } from '../../generated/validators.js';

/** Says whether a value fits a schema; of one that does not, `errors` says why until the next call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** The validators of one schema. Each is made anew by a call. */
export interface SchemaValidators {
  /** Stops at the first error. */
  first(): Validator;
  /** Finds all errors. */
  all(): Validator;
}

/** Finds the validators of a schema. */
export type ValidatorsOf = (schema: TSchema) => SchemaValidators;

/** Equal for schemas that describe the same. */
export function schemaKey(schema: TSchema): string {
  return hash('sha256', JSON.stringify(schema), 'base64url');
}

/**
 * Those that the build has prepared with ajv for each of `preparedSchemas()`.
 *
 * @throws Error when the schema is none of them
 */
export function preparedValidators(schema: TSchema): SchemaValidators {
  const found = validators[schemaKey(schema)];
  if (found === undefined) {
    throw new Error('a schema has no prepared validator: name it in src/config/schema/prepared-schemas.ts and build');
  }
  return found;
}
