import test from 'ava';
import { admitSources } from '../../src/jwks/admit-sources.js';
import type { KeySourceUse } from '../../src/model/security/request-authentications.js';

/** @param uses `<source> <namespace>...` */
function usesOf(...uses: readonly string[]): ReadonlyMap<string, KeySourceUse> {
  return new Map(
    uses.map((text) => {
      const [id = '', ...namespaces] = text.split(' ');
      const source = { type: 'jwks', url: `https://${id}/keys`, issuer: '', id } as const;
      return [id, { source, objects: namespaces.map((namespace) => ({ key: `${namespace}/x`, namespace })) }];
    }),
  );
}

const idsOf = (uses: readonly KeySourceUse[]) => uses.map(({ source }) => source.id).sort();

test('a namespace with too many sources loses the last ones, and others none', (t) => {
  const uses = usesOf('a1 a', 'a2 a', 'a3 a', 'b1 b');
  const { admitted, refused } = admitSources(uses, { maxSources: 100, maxPerNamespace: 2 });
  t.deepEqual(idsOf(admitted), ['a1', 'a2', 'b1']);
  t.deepEqual([...refused], [['a3', 'NAV_JWKS_MAX_NAMESPACE_SOURCES']]);
});

test('over the limit of all, namespaces take turns', (t) => {
  const uses = usesOf('a1 a', 'a2 a', 'a3 a', 'a4 a', 'b1 b', 'b2 b', 'c1 c');
  const { admitted, refused } = admitSources(uses, { maxSources: 4, maxPerNamespace: 100 });
  t.deepEqual(idsOf(admitted), ['a1', 'a2', 'b1', 'c1']);
  t.deepEqual(new Set(refused.values()), new Set(['NAV_JWKS_MAX_SOURCES']));
});

test('a source of two namespaces is fetched while one of them has room for it', (t) => {
  const uses = usesOf('a1 a', 'shared a b');
  const { admitted } = admitSources(uses, { maxSources: 100, maxPerNamespace: 1 });
  t.deepEqual(idsOf(admitted), ['a1', 'shared']);
});
