import { hash } from 'node:crypto';
import type { ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';
import { validators } from '../../generated/validators.js';

/** Returns whether a value fits a schema. `errors` holds the errors of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** The validators of one schema. Each call makes a new validator. */
export interface SchemaValidators {
  /** Stops at the first error. */
  first(): Validator;
  /** Finds all errors. */
  all(): Validator;
}

/** Finds the validators of a schema. */
export type ValidatorsOf = (schema: TSchema) => SchemaValidators;

/** A key that is equal for equal schemas. */
export function schemaKey(schema: TSchema): string {
  return hash('sha256', JSON.stringify(schema), 'base64url');
}

/**
 * Finds the validators that the build has compiled with ajv for `preparedSchemas()`.
 *
 * @throws Error if the build has not compiled the schema
 */
export function preparedValidators(schema: TSchema): SchemaValidators {
  const found = validators[schemaKey(schema)];
  if (found === undefined) {
    throw new Error('a schema has no prepared validator: name it in src/config/prepared-schemas.ts and build');
  }
  return found;
}
