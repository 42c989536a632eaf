import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { createAuthorizationPolicyIndexer } from '../../../src/model/security/authorization-policies.js';
import { largePolicies } from '../../config/support/large-policies.js';
import { readObject } from '../../config/support/read-yaml.js';

const MESH = { rootNamespace: 'mesh-system' };

/** @param where `<namespace>/<name>` */
function policy(where: string, spec: object = {}): MeshObject {
  const [namespace, name] = where.split('/');
  const apiVersion = 'security.mesh.internal/v1beta1';
  return readObject(JSON.stringify({ apiVersion, kind: 'AuthorizationPolicy', metadata: { namespace, name }, spec }));
}

const tableOf = (objects: readonly MeshObject[]) =>
  new Map([['AuthorizationPolicy', new Map(objects.map((object) => [keyOf(object), object]))]]);
const indexOf = (...objects: readonly MeshObject[]) =>
  createAuthorizationPolicyIndexer()({ objects: tableOf(objects), mesh: MESH });
const selecting = (labels: Readonly<Record<string, string>>) => ({ selector: { matchLabels: labels } });

test('a workload has the policies of its namespace and of the root namespace that select it', (t) => {
  const index = indexOf(
    policy('shop/all'),
    policy('shop/web', selecting({ app: 'web' })),
    policy('shop/other', selecting({ app: 'other' })),
    policy('mesh-system/everywhere'),
    policy('mesh-system/front', selecting({ tier: 'front' })),
    policy('elsewhere/all'),
  );
  const names = (namespace: string, labels: Readonly<Record<string, string>>) =>
    index.ofWorkload(namespace, labels).policies.map(({ namespace: of, name }) => `${of}/${name}`);
  t.deepEqual(names('shop', { app: 'web' }), ['mesh-system/everywhere', 'shop/all', 'shop/web']);
  t.deepEqual(names('shop', { tier: 'front' }), ['mesh-system/everywhere', 'mesh-system/front', 'shop/all']);
  t.deepEqual(names('mesh-system', {}), ['mesh-system/everywhere']);
  t.deepEqual(names('nowhere', {}), ['mesh-system/everywhere']);
});

test('workloads with equal policies share one list, which stays the same object while they do', (t) => {
  const indexer = createAuthorizationPolicyIndexer();
  const web = policy('shop/web', selecting({ app: 'web' }));
  const first = indexer({ objects: tableOf([web]), mesh: MESH });
  const list = first.ofWorkload('shop', { app: 'web', version: 'v1' });
  t.is(first.ofWorkload('shop', { app: 'web', version: 'v2' }), list);
  const second = indexer({ objects: tableOf([web, policy('safe/all')]), mesh: MESH });
  t.not(second, first);
  t.is(second.ofWorkload('shop', { app: 'web' }), list);
  const changed = policy('shop/web', { ...selecting({ app: 'web' }), rules: [{}] });
  const third = indexer({ objects: tableOf([changed]), mesh: MESH }).ofWorkload('shop', { app: 'web' });
  t.not(third.key, list.key);
});

test('the index stays the same object while no policy changes', (t) => {
  const indexer = createAuthorizationPolicyIndexer();
  const objects = tableOf([policy('shop/all')]);
  const index = indexer({ objects, mesh: MESH });
  t.is(indexer({ objects: new Map(objects), mesh: MESH }), index);
  t.not(indexer({ objects, mesh: { rootNamespace: 'shop' } }), index);
});

test('a workload without policies has an empty key', (t) => {
  t.deepEqual(indexOf(policy('shop/web', selecting({ app: 'web' }))).ofWorkload('shop', {}), {
    key: '',
    policies: [],
    isTooLarge: false,
  });
});

test('a proxy that asks again gets the list that was made for it', (t) => {
  let reads = 0;
  const labels = new Proxy(
    { app: 'web' },
    {
      get: (target, key) => {
        reads++;
        return Reflect.get(target, key);
      },
    },
  );
  const index = indexOf(policy('shop/web', selecting({ app: 'web' })), policy('mesh-system/all'));
  const list = index.ofWorkload('shop', labels);
  t.is(list.policies.length, 2);
  const before = reads;
  t.is(index.ofWorkload('shop', labels), list);
  t.is(reads, before);
  t.is(index.ofWorkload('elsewhere', labels).policies.length, 1);
});

test('the key of a workload has a fixed length, however many policies it has', (t) => {
  const all = Array.from({ length: 300 }, (_, index) => policy(`shop/policy-${index}`));
  const { key, policies } = indexOf(...all).ofWorkload('shop', {});
  t.is(policies.length, 300);
  t.true(key.length < 100);
});

test('the policies of a workload are too large together beyond 1 MiB, those of others are not', (t) => {
  const large = largePolicies(6);
  const { isTooLarge, policies } = indexOf(...large).ofWorkload('default', {});
  t.true(isTooLarge);
  t.is(policies.length, 6);
  t.false(indexOf(...large.slice(1)).ofWorkload('default', {}).isTooLarge);
  t.false(indexOf(...large).ofWorkload('shop', {}).isTooLarge);
});
