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
  t.is(first.set, second.set);
  t.deepEqual(first.set.names, ['a', 'b']);
});

test('different sets differ', (t) => {
  const sets = createNameSets();
  t.not(
    sets.intern(Buffer.from('1'), () => ['a']),
    sets.intern(Buffer.from('2'), () => ['b']),
  );
});

test('what a stream repeats is not even hashed, and what another sends is found by its hash', (t) => {
  const sets = createNameSets();
  const never = (): string[] => t.fail() as never;
  const first = sets.intern(Buffer.from('x'), () => ['a']);
  t.is(createNameSets().intern(Buffer.from('x'), never, first), first);
  t.is(sets.intern(Buffer.from('x'), never), first);
  const second = sets.intern(Buffer.from('y'), () => ['b'], first);
  t.deepEqual(second.set.names, ['b']);
});

test('the bytes of a message are not held on to', (t) => {
  const sets = createNameSets();
  const message = Buffer.from('xyz');
  const names = sets.intern(message.subarray(0, 1), () => ['a']);
  message.fill(0);
  t.is(names.bytes.toString(), 'x');
});
