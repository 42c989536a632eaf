import test from 'ava';
import { diffLines } from '../../../src/introspection/web/line-diff.js';
import fc from '../../support/property-testing.js';

test('equal lines far from changes become a gap', (t) => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const after = before.with(10, 'changed');
  t.deepEqual(
    diffLines(before.join('\n'), after.join('\n')).map(({ type, text }) => `${type} ${text}`),
    [
      'gap …',
      'same line 7',
      'same line 8',
      'same line 9',
      'removed line 10',
      'added changed',
      'same line 11',
      'same line 12',
      'same line 13',
      'gap …',
    ],
  );
});

test('the removed and kept lines are the old text, the added and kept lines the new one', (t) => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after).filter(({ type }) => type !== 'gap');
      if (before === after) return;
      const of = (other: string) =>
        lines.filter(({ type }) => type === 'same' || type === other).map((line) => line.text);
      t.true(before.includes(of('removed').join('\n')));
      t.true(after.includes(of('added').join('\n')));
    }),
  );
});

test('texts of thousands of different lines are compared at once', (t) => {
  const lines = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`).join('\n');
  const found = diffLines(lines('old'), lines('new'));
  t.is(found.filter(({ type }) => type === 'removed').length, 3000);
  t.is(found.filter(({ type }) => type === 'added').length, 3000);
});
