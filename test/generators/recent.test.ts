import test from 'ava';
import { createRecent } from '../../src/generators/recent.js';

test('a key has one value, until others were used since', (t) => {
  const valueOf = createRecent(2, () => ({}));
  const [a, b] = [valueOf('a'), valueOf('b')];
  t.is(valueOf('a'), a);
  valueOf('c');
  t.is(valueOf('a'), a);
  t.not(valueOf('b'), b);
});
