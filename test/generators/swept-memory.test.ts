import test from 'ava';
import { createSweptMemory } from '../../src/generators/swept-memory.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';

const KEY_LENGTH = 10;
const keyOf = (index: number): string => `${index}`.padStart(KEY_LENGTH, '0');

test('keys of objects that are gone do not add up', async (t) => {
  const memory = createSweptMemory<object>(100 * KEY_LENGTH);
  let index = 0;
  await eventually('keys are dropped', () => {
    for (let count = 0; count < 1_000; count++) memory.keep(keyOf(index++), {});
    collectGarbage();
    return memory.keyCharacters < (index * KEY_LENGTH) / 3;
  });
  t.pass();
});

test('objects that are held are found again, whatever is dropped', async (t) => {
  const memory = createSweptMemory<object>(10 * KEY_LENGTH);
  const held = Array.from({ length: 50 }, () => ({}));
  held.forEach((object, index) => void memory.keep(keyOf(index), object));
  let index = held.length;
  await eventually('keys are dropped', () => {
    for (let count = 0; count < 1_000; count++) memory.keep(keyOf(index++), {});
    collectGarbage();
    return memory.keyCharacters < (index * KEY_LENGTH) / 3;
  });
  held.forEach((object, place) => void t.is(memory.get(keyOf(place)), object));
});

test('a key counts once', (t) => {
  const memory = createSweptMemory<object>();
  for (let count = 0; count < 5; count++) memory.keep('key', {});
  t.is(memory.keyCharacters, 3);
});
