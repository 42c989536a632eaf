import test from 'ava';
import { createNameSets } from '../../src/push/name-set.js';

test('the same bytes are decoded once', (t) => {
  const sets = createNameSets();
  let decoded = 0;
  const decode = () => {
    decoded++;
    return ['b', 'a'];
  };
  const first = sets.intern(Buffer.from('x'), decode);
  const second = sets.intern(Buffer.from('x'), decode);
  t.is(first, second);
  t.is(decoded, 1);
});

test('equal sets in another order are the same object', (t) => {
  const sets = createNameSets();
  const first = sets.intern(Buffer.from('ab'), () => ['a', 'b']);
  const second = sets.intern(Buffer.from('ba'), () => ['b', 'a', 'b']);
  t.is(first, second);
  t.deepEqual(first.names, ['a', 'b']);
});

test('different sets differ', (t) => {
  const sets = createNameSets();
  t.not(
    sets.intern(Buffer.from('1'), () => ['a']),
    sets.intern(Buffer.from('2'), () => ['b']),
  );
});
