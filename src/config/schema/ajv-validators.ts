import { Ajv, type Options } from 'ajv';
import { addFastChoice } from './fast-choice.js';
import type { ValidatorsOf } from './validators.js';

/** The schemas are ours: they are not checked against the meta-schema. */
const OPTIONS: Options = { verbose: true, meta: false, validateSchema: false };

/** An ajv that stops at the first error, or finds all. @param more options */
export function createAjv(finds: 'first' | 'all', more: Options = {}): Ajv {
  // What is told of a choice with all errors names its branches, which the fast one does not look at.
  return finds === 'all'
    ? new Ajv({ ...OPTIONS, allErrors: true, ...more })
    : addFastChoice(new Ajv({ ...OPTIONS, ...more }));
}

/** Compiles schemas when they are read, for tests of schemas that the build does not know. */
export function createAjvValidators(): ValidatorsOf {
  const [first, all] = [createAjv('first'), createAjv('all')];
  return (schema) => ({ first: () => first.compile(schema), all: () => all.compile(schema) });
}
