import { _, Ajv, type KeywordCxt, type Options } from 'ajv';
import { getProperty } from 'ajv/dist/compile/codegen/index.js';
import type { ValidatorsOf } from './validators.js';

/** Ajv does not check the schemas against the meta-schema, because they are our own. */
const OPTIONS: Options = { verbose: true, meta: false, validateSchema: false };

/** An ajv that stops at the first error, or finds all errors. @param more options */
export function createAjv(finds: 'first' | 'all', more: Options = {}): Ajv {
  // With all errors, the error of a choice must name its branches, which the fast choice does not check.
  return finds === 'all'
    ? new Ajv({ ...OPTIONS, allErrors: true, ...more })
    : addFastChoice(new Ajv({ ...OPTIONS, ...more }));
}

/** Compiles schemas at run time, for tests with schemas that the build does not compile. */
export function createAjvValidators(): ValidatorsOf {
  const [first, all] = [createAjv('first'), createAjv('all')];
  return (schema) => ({ first: () => first.compile(schema), all: () => all.compile(schema) });
}

/** A branch of a choice: it requires one field. */
interface Branch {
  readonly required: readonly [string];
}

/**
 * Replaces the keyword `oneOf` by one that counts the fields that are set. Ajv's own describes for every valid object why
 * the other branches do not match, which takes most of the time of checking a large QuotaSpec.
 *
 * @throws Error if a branch of a compiled schema does more than require one field
 */
export function addFastChoice(ajv: Ajv): Ajv {
  ajv.removeKeyword('oneOf');
  return ajv.addKeyword({
    keyword: 'oneOf',
    schemaType: 'array',
    code: (context: KeywordCxt) => {
      const { data } = context;
      const fields = (context.schema as readonly unknown[]).map(fieldOf);
      const count = fields.map((field) => _`(${data}${getProperty(field)} === undefined ? 0 : 1)`);
      const sum = count.reduce((sum, each) => _`${sum} + ${each}`, _`0`);
      // A value that is not an object has the error of its `type` instead.
      context.fail(_`${data} && typeof ${data} == "object" && !Array.isArray(${data}) && (${sum}) !== 1`);
    },
  });
}

function fieldOf(branch: unknown): string {
  const { required, ...others } = branch as Branch;
  if (required?.length !== 1 || Object.keys(others).length > 0) {
    throw new Error(`a branch of oneOf does more than require one field: ${JSON.stringify(branch)}`);
  }
  return required[0];
}
