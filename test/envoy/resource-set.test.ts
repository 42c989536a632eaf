import test from 'ava';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { frameResource } from '../../src/envoy/message-encoder.js';
import {
  compareNames,
  createResourceSet,
  diffResourceSets,
  EMPTY_RESOURCE_SET,
  joinResourceSets,
  nextResourceSet,
  replaceResources,
} from '../../src/envoy/resource-set.js';
import fc from '../support/property-testing.js';

function resource(name: string, content: string): EncodedResource {
  return frameResource('type', name, Buffer.from(content));
}

/** A state of the world: content by name. */
const world = fc.dictionary(fc.stringMatching(/^[a-c]{1,3}$/), fc.constantFrom('1', '2', '3'));

function setOf(state: Readonly<Record<string, string>>) {
  return createResourceSet(
    Object.entries(state)
      .map(([name, content]) => resource(name, content))
      .sort(compareNames),
  );
}

test('a diff takes a client from one set exactly to the other', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(world, world, (before, after) => {
        const { changed, removed } = diffResourceSets(setOf(before), setOf(after));
        const client = new Map(setOf(before).resources.map(({ name, version }) => [name, version]));
        for (const name of removed) t.true(client.delete(name), 'only what was there is removed');
        for (const { name, version } of changed) {
          t.not(client.get(name), version, 'only what differs is sent');
          client.set(name, version);
        }
        t.deepEqual(
          [...client].sort(),
          setOf(after).resources.map(({ name, version }) => [name, version]),
        );
      }),
    ),
  );
});

test('a diff lists changes and removals by name', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(world, world, (before, after) => {
        const { changed, removed } = diffResourceSets(setOf(before), setOf(after));
        t.deepEqual(
          changed.map(({ name }) => name),
          changed.map(({ name }) => name).sort(),
        );
        t.deepEqual(removed, [...removed].sort());
      }),
    ),
  );
});

test('sets have equal hashes exactly when they have equal content', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(world, world, (first, second) => {
        const { changed, removed } = diffResourceSets(setOf(first), setOf(second));
        t.is(setOf(first).hash === setOf(second).hash, changed.length === 0 && removed.length === 0);
      }),
    ),
  );
});

test('a set of equal content is the previous set itself', (t) => {
  const previous = setOf({ a: '1', b: '2' });
  t.is(nextResourceSet(previous, setOf({ a: '1', b: '2' }).resources), previous);
  t.not(nextResourceSet(previous, setOf({ a: '1', b: '3' }).resources), previous);
  t.not(nextResourceSet(previous, setOf({ a: '1' }).resources), previous);
});

test('the names count in a hash: the same content under another name is another set', (t) => {
  t.not(setOf({ a: '1' }).hash, setOf({ b: '1' }).hash);
});

test('the body of a set is its entries, made once', (t) => {
  const set = setOf({ a: '1', b: '22' });
  t.deepEqual(Buffer.concat(set.body()), Buffer.concat(set.resources.map(({ entry }) => entry)));
  t.is(set.body()[0], set.body()[0]);
  t.is(Buffer.concat(EMPTY_RESOURCE_SET.body()).length, 0);
});

test('joined sets are sorted as one, keep the bodies of their parts, and compare by content', (t) => {
  const [shared, own] = [setOf({ a: '1', c: '1' }), setOf({ b: '1' })];
  const joined = joinResourceSets([shared, own]);
  t.deepEqual(
    joined.resources.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  t.is(joined.body()[0], shared.body()[0]);
  t.is(joined.hash, joinResourceSets([setOf({ a: '1', c: '1' }), setOf({ b: '1' })]).hash);
  t.not(joined.hash, joinResourceSets([shared, setOf({ b: '2' })]).hash);
  t.is(joinResourceSets([shared]), shared);
});

test('replacing some resources gives the set of all of them', (t) => {
  const before = setOf({ a: '1', b: '1', c: '1' });
  const after = replaceResources(before, [resource('c', '2'), resource('a', '1')]);
  t.is(after?.hash, setOf({ a: '1', b: '1', c: '2' }).hash);
  t.is(after?.resources[0], before.resources[0], 'what is equal stays the same object');
  t.is(before.resources[2]?.version, resource('c', '1').version, 'the set before is as it was');
});

test('replacing resources by equal ones gives the very same set, and those it does not have give none', (t) => {
  const before = setOf({ a: '1', c: '1' });
  t.is(replaceResources(before, [resource('a', '1')]), before);
  t.is(replaceResources(before, []), before);
  for (const name of ['0', 'b', 'd']) t.is(replaceResources(before, [resource(name, '1')]), undefined);
});

test('the difference of a set with replaced resources is the replaced resources', (t) => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-c]{1,3}$/), fc.constantFrom('1', '2')), world, (state, news) => {
      const before = setOf(state);
      const known = Object.entries(news).filter(([name]) => Object.hasOwn(state, name));
      const after = replaceResources(
        before,
        known.map(([name, content]) => resource(name, content)),
      );
      const whole = setOf({ ...state, ...Object.fromEntries(known) });
      t.deepEqual(after?.resources, whole.resources);
      t.deepEqual(diffResourceSets(before, after ?? EMPTY_RESOURCE_SET), diffResourceSets(before, whole));
      t.deepEqual(diffResourceSets(setOf(state), after ?? EMPTY_RESOURCE_SET), diffResourceSets(before, whole));
    }),
  );
});
