import test from 'ava';
import { inOneStep } from '../../src/base/steps.js';
import { createNameSets, type EncodedNames } from '../../src/push/name-set.js';

type NameSets = ReturnType<typeof createNameSets>;

/** Without pauses. */
function intern(sets: NameSets, bytes: Buffer, decode: () => readonly string[], last?: EncodedNames): EncodedNames {
  // biome-ignore lint/correctness/useYield: short lists need no pause
  const decodeAtOnce = function* () {
    return decode();
  };
  return inOneStep(sets.intern(bytes, decodeAtOnce, last));
}

test('the same bytes are decoded once', (t) => {
  const sets = createNameSets();
  let decoded = 0;
  const decode = () => {
    decoded++;
    return ['b', 'a'];
  };
  const first = intern(sets, Buffer.from('x'), decode);
  const second = intern(sets, Buffer.from('x'), decode);
  t.is(first, second);
  t.is(decoded, 1);
});

test('equal sets in another order are the same object', (t) => {
  const sets = createNameSets();
  const first = intern(sets, Buffer.from('ab'), () => ['a', 'b']);
  const second = intern(sets, Buffer.from('ba'), () => ['b', 'a', 'b']);
  t.is(first.set, second.set);
  t.deepEqual(first.set.names, ['a', 'b']);
});

test('different sets differ', (t) => {
  const sets = createNameSets();
  t.not(
    intern(sets, Buffer.from('1'), () => ['a']),
    intern(sets, Buffer.from('2'), () => ['b']),
  );
});

test('a name with a line break never stands for several names of another stream', (t) => {
  const sets = createNameSets();
  const hostile = intern(sets, Buffer.from('1'), () => ['a\nb']).set;
  const honest = intern(sets, Buffer.from('2'), () => ['a', 'b']).set;
  t.deepEqual(hostile.names, ['a\nb']);
  t.deepEqual(honest.names, ['a', 'b']);
  t.not(honest.id, hostile.id);
  t.not(
    intern(sets, Buffer.from('3'), () => ['a', 'b\nc']).set.id,
    intern(sets, Buffer.from('4'), () => ['a\nb', 'c']).set.id,
  );
});

test('a list that a stream repeats is not hashed, and a list of another stream is found by its hash', (t) => {
  const sets = createNameSets();
  const never = (): string[] => t.fail() as never;
  const first = intern(sets, Buffer.from('x'), () => ['a']);
  t.is(intern(createNameSets(), Buffer.from('x'), never, first), first);
  t.is(intern(sets, Buffer.from('x'), never), first);
  const second = intern(sets, Buffer.from('y'), () => ['b'], first);
  t.deepEqual(second.set.names, ['b']);
});

test('the bytes of a message are not kept', (t) => {
  const sets = createNameSets();
  const message = Buffer.from('xyz');
  const names = intern(sets, message.subarray(0, 1), () => ['a']);
  message.fill(0);
  t.is(names.bytes?.toString(), 'x');
});
