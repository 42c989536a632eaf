import test from 'ava';
import { SelectorIndex } from '../../../src/model/registry/selector-index.js';
import fc from '../../support/property-testing.js';

type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly namespace: string;
  readonly labels: Labels;
}

const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'zone'), fc.constantFrom('a', 'b'), { maxKeys: 3 });
const id = fc.constantFrom('one', 'two', 'three');
const namespace = fc.constantFrom('shop', 'bank');
const step = fc.record({
  what: fc.constantFrom('member' as const, 'selector' as const),
  id,
  // Absent means that it is deleted.
  value: fc.option(fc.record({ namespace, labels }), { nil: undefined }),
});

function selects(selector: Labelled, member: Labelled): boolean {
  const pairs = Object.entries(selector.labels);
  return (
    pairs.length > 0 &&
    selector.namespace === member.namespace &&
    pairs.every(([key, value]) => member.labels[key] === value)
  );
}

test('the result equals a comparison of every selector with every member', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const index = new SelectorIndex();
      const members = new Map<string, Labelled>();
      const selectors = new Map<string, Labelled>();
      const selecting = (member: Labelled | undefined) =>
        member === undefined ? [] : [...selectors].filter(([, one]) => selects(one, member)).map(([name]) => name);
      for (const { what, id: name, value } of steps) {
        if (what === 'selector') {
          if (value === undefined) index.deleteSelector(name);
          else index.setSelector(name, value.namespace, value.labels);
          set(selectors, name, value);
          continue;
        }
        const expected = new Set([...selecting(members.get(name)), ...selecting(value)]);
        const concerned =
          value === undefined ? index.deleteMember(name) : index.setMember(name, value.namespace, value.labels);
        t.deepEqual([...concerned].sort(), [...expected].sort());
        set(members, name, value);
      }
      for (const [name, selector] of selectors) {
        const expected = [...members].filter(([, member]) => selects(selector, member)).map(([member]) => member);
        t.deepEqual(index.match(name), expected.sort());
      }
      for (const [name, member] of members) t.deepEqual([...index.selectorsOf(name)].sort(), selecting(member).sort());
    }),
  );
});

function set(map: Map<string, Labelled>, key: string, value: Labelled | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
