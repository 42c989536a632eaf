import test from 'ava';
import { Type } from 'typebox';
import { createTestSchemaCompiler } from '../support/schema-compiler.js';

const schema = Type.Object({
  names: Type.Array(Type.String({ description: 'A name.' }), { description: 'Names.', default: [], maxItems: 100_000 }),
});
const reader = createTestSchemaCompiler().compile(schema, 'reported');
const violationsOf = (input: unknown) => {
  const result = reader.read(input);
  return result.type === 'invalid' ? result.violations : [];
};

test('all mistakes of an object are listed, up to twenty', (t) => {
  t.is(violationsOf({ names: [1, 'a', 2] }).length, 2);
  t.is(violationsOf({ names: Array.from({ length: 1000 }, () => 1) }).length, 100);
});

test('an object with very many values gets only its first mistake', (t) => {
  const names: unknown[] = Array.from({ length: 50_000 }, (_, index) => `name-${index}`);
  names[7] = 1;
  names[9] = 1;
  t.deepEqual(
    violationsOf({ names }).map(({ path, message }) => [path, message]),
    [['names[7]', 'is a number, not a string']],
  );
});

test('a large valid object is read completely', (t) => {
  const names = Array.from({ length: 100_000 }, (_, index) => `name-${index}`);
  const result = reader.read({ names });
  t.is(result.type, 'valid');
  if (result.type === 'valid') t.deepEqual(result.value, { names });
});

test('the violation of a list that is too long has its length, for any items', (t) => {
  const names = Array.from({ length: 200_000 }, () => 1);
  t.deepEqual(
    violationsOf({ names }).map(({ path, value, message }) => [path, (value as unknown[]).length, message]),
    [['names', 200_000, 'has too many items']],
  );
});
