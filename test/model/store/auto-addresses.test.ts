import test from 'ava';
import { AutoAddresses } from '../../../src/model/store/auto-addresses.js';
import fc from '../../support/property-testing.js';

/** Enough hosts for hashes to meet: of 64,770 addresses, 2,000 hosts share some thirty. */
const CROWD = Array.from({ length: 2000 }, (_, index) => `host-${index}/shop`);

function addressesOf(keys: readonly string[], table: AutoAddresses): Map<string, string | undefined> {
  return new Map(keys.map((key) => [key, table.get(key)]));
}

function filled(keys: readonly string[], createdAt = ''): AutoAddresses {
  const table = new AutoAddresses();
  for (const key of keys) table.add(key, createdAt, new Set());
  return table;
}

test('no two hosts share an address, and all are 240.240.i.j with j from 1 to 254', (t) => {
  const addresses = [...addressesOf(CROWD, filled(CROWD)).values()] as string[];
  t.is(new Set(addresses).size, CROWD.length);
  for (const address of addresses) {
    const [first, second, third, fourth] = address.split('.').map(Number) as [number, number, number, number];
    t.true(first === 240 && second === 240 && third <= 254 && fourth >= 1 && fourth <= 254);
  }
});

test('addresses follow from the set of hosts, whatever order they came in and whatever left in between', (t) => {
  const expected = addressesOf(CROWD, filled(CROWD));
  fc.assert(
    fc.property(fc.shuffledSubarray(CROWD, { minLength: 0, maxLength: 500 }), (visitors) => {
      const table = filled(visitors);
      for (const key of CROWD.toReversed()) table.add(key, '', new Set());
      for (const key of visitors) table.remove(key, new Set());
      for (const key of visitors.toSorted()) table.add(key, '', new Set());
      t.deepEqual(addressesOf(CROWD, table), expected);
    }),
    { numRuns: 15 },
  );
});

test('a younger host never moves an older one', (t) => {
  const table = filled(CROWD, '2026-01-01T00:00:00Z');
  const before = addressesOf(CROWD, table);
  const moved = new Set<string>();
  for (let index = 0; index < 2000; index++) table.add(`young-${index}/shop`, '2026-02-01T00:00:00Z', moved);
  t.deepEqual(addressesOf(CROWD, table), before);
  t.is(moved.size, 2000);
});

test('every host whose address changes is named', (t) => {
  const table = filled(CROWD);
  for (const key of CROWD.slice(0, 500)) {
    const before = addressesOf(CROWD, table);
    const moved = new Set<string>();
    table.remove(key, moved);
    const changed = CROWD.filter((other) => table.get(other) !== before.get(other));
    t.deepEqual([...moved].sort(), changed.sort());
  }
});

test('when all addresses are taken, a host goes without', (t) => {
  const table = filled(Array.from({ length: 255 * 254 }, (_, index) => `host-${index}`));
  table.add('late', '', new Set());
  t.is(table.get('late'), undefined);
});
