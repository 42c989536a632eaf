import test from 'ava';
import { PrefixIndex } from '../../../src/policy/client/prefix-index.js';
import fc from '../../support/property-testing.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\u00e9', '\ud83d\ude00'), maxLength: 5 });

test('for any prefixes and any text, exactly the prefixes of the text are found, the longest first', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 20 }), fc.array(text, { maxLength: 5 }), (prefixes, texts) => {
      const index = new PrefixIndex(new Map(prefixes.map((prefix) => [prefix, prefix])));
      for (const each of texts) {
        const expected = prefixes.filter((prefix) => each.startsWith(prefix)).sort((a, b) => b.length - a.length);
        t.deepEqual(index.find(each), expected);
      }
    }),
    { numRuns: 500 },
  );
});

test('an index without prefixes finds nothing', (t) => {
  t.deepEqual(new PrefixIndex(new Map()).find('a'), []);
});
