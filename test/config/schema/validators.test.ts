import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { preparedSchemas } from '../../../src/config/prepared-schemas.js';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import { createAjvValidators } from '../../../src/config/schema/ajv-validators.js';
import { preparedValidators } from '../../../src/config/schema/validators.js';
import fc from '../../support/property-testing.js';

test('the schemas of kinds are prepared, for every mesh domain and limit of expressions', (t) => {
  const limits = { ...DEFAULT_REGEX_LIMITS, expressionBytes: 1, objectBytes: 1 };
  t.notThrows(() => createKindRegistry('another.example', limits));
});

test('a schema that the build has not compiled is an error that names the file to change', (t) => {
  t.throws(() => preparedValidators({ type: 'object' }), { message: /prepared-schemas\.ts/ });
});

test('prepared validators find the same errors as validators compiled at run time', (t) => {
  const compileNow = createAjvValidators();
  for (const schema of preparedSchemas()) {
    const [prepared, compiled] = [preparedValidators(schema), compileNow(schema)];
    const names = Object.keys((schema as { properties?: object }).properties ?? {});
    const value = fc.dictionary(fc.constantFrom(...names, 'other'), fc.jsonValue({ maxDepth: 2 }));
    for (const finds of ['first', 'all'] as const) {
      const [ours, theirs] = [prepared[finds](), compiled[finds]()];
      fc.assert(
        fc.property(value, (each) => {
          if (ours(each) !== theirs(each)) return false;
          return JSON.stringify(ours.errors) === JSON.stringify(theirs.errors);
        }),
        { numRuns: 30 },
      );
    }
  }
  t.pass();
});
