import { Ajv } from 'ajv';
import test from 'ava';
import { addFastChoice } from '../../../src/config/schema/ajv-validators.js';
import fc from '../../support/property-testing.js';

const choiceOf = (...fields: readonly string[]) => ({
  type: 'object',
  oneOf: fields.map((field) => ({ required: [field] })),
});

test('the fast oneOf accepts the same values as the oneOf of Ajv', (t) => {
  const names = ['exact', 'prefix', 'regex', 'constructor', 'other'];
  const schema = choiceOf('exact', 'prefix', 'regex');
  const [ours, theirs] = [addFastChoice(new Ajv()).compile(schema), new Ajv().compile(schema)];
  const object = fc.dictionary(fc.constantFrom(...names), fc.option(fc.string(), { nil: undefined }));
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: object }, fc.jsonValue()), (value) => {
      const isTaken = ours(value);
      seen.add(isTaken);
      return isTaken === theirs(value);
    }),
    { numRuns: 10_000 },
  );
  t.deepEqual([...seen].sort(), [false, true]);
});

test('a violation of the fast oneOf has the same keyword, with the branches', (t) => {
  const check = addFastChoice(new Ajv({ verbose: true })).compile(choiceOf('a', 'b'));
  t.false(check({ a: 1, b: 2 }));
  const [error, ...others] = check.errors ?? [];
  t.deepEqual(others, []);
  t.like(error, { keyword: 'oneOf', data: { a: 1, b: 2 }, schema: [{ required: ['a'] }, { required: ['b'] }] });
});

test('a branch that does more than require one field is refused', (t) => {
  const ajv = addFastChoice(new Ajv());
  for (const branch of [{ required: ['a', 'b'] }, { required: ['a'], type: 'object' }, { type: 'string' }, {}]) {
    t.throws(() => ajv.compile({ oneOf: [branch] }), { message: /more than require one field/ });
  }
});
