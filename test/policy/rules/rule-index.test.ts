import test from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { createRuleIndex } from '../../../src/policy/rules/rule-index.js';

const rule = (place: number, requires: Readonly<Record<string, string>>) => ({
  place,
  requires: Object.entries(requires).map(([attribute, text]) => ({ attribute, text })),
});

test('an index gives the rules whose texts a request may have, in their order', (t) => {
  const find = createRuleIndex([
    rule(0, { host: 'b', protocol: 'http' }),
    rule(1, {}),
    rule(2, { host: 'a', protocol: 'http' }),
    rule(3, { protocol: 'http' }),
  ]);
  const places = (attributes: Readonly<Record<string, string>>) =>
    find(bagOf(new Map(Object.entries(attributes).map(([name, value]) => [name, { type: 'string', value }])))).map(
      ({ place }) => place,
    );
  t.deepEqual(places({ host: 'a', protocol: 'http' }), [1, 2, 3]);
  t.deepEqual(places({ host: 'c', protocol: 'tcp' }), [1]);
  t.deepEqual(places({}), [1]);
});
