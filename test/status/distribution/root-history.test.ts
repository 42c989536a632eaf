import test from 'ava';
import fc from 'fast-check';
import type { MeshObject, ObjectKey } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { createRootHistory } from '../../../src/status/distribution/root-history.js';
import { buildContext } from '../../generators/context-builder.js';
import { otherObject } from '../../model/mesh-objects.js';

const BASE = buildContext();

/** The same object for the same version, and the same snapshot of objects for the same versions. */
function createStates(): (versions: readonly number[]) => { readonly root: string; readonly context: PushContext } {
  const objects = new Map<string, MeshObject>();
  const objectOf = (index: number, version: number): MeshObject => {
    const id = `${index}@${version}`;
    const found = objects.get(id) ?? otherObject('ServiceEntry', `shop/${index}`, { resourceVersion: id });
    objects.set(id, found);
    return found;
  };
  return (versions) => {
    // Version 0: there is no such object.
    const present = versions.flatMap((version, index) =>
      version === 0 ? [] : [[`ServiceEntry/shop/${index}`, objectOf(index, version)] as const],
    );
    return { root: versions.join(), context: { ...BASE, objects: new Map([['ServiceEntry', new Map(present)]]) } };
  };
}

function differences(first: readonly number[], second: readonly number[]): ReadonlySet<ObjectKey> {
  return new Set(first.flatMap((version, index) => (version === second[index] ? [] : [`ServiceEntry/shop/${index}`])));
}

const sorted = (keys: ReadonlySet<ObjectKey> | undefined) => keys && [...keys].sort();

test('added, changed and removed objects count as changed since a version', (t) => {
  const stateOf = createStates();
  const history = createRootHistory();
  for (const versions of [
    [1, 1, 0],
    [1, 2, 0],
    [1, 2, 1],
    [0, 2, 1],
  ]) {
    const { root, context } = stateOf(versions);
    history.observe(root, context, 0);
  }
  t.deepEqual(sorted(history.changedSince('1,1,0')), [
    'ServiceEntry/shop/0',
    'ServiceEntry/shop/1',
    'ServiceEntry/shop/2',
  ]);
  t.deepEqual(sorted(history.changedSince('1,2,1')), ['ServiceEntry/shop/0']);
  t.deepEqual(sorted(history.changedBetween('1,2,0', '1,2,1')), ['ServiceEntry/shop/2']);
  t.deepEqual(sorted(history.changedSince('0,2,1')), []);
  t.is(history.changedSince('never'), undefined);
});

test('a proxy at a version that came back misses only the changes after its return', (t) => {
  const stateOf = createStates();
  const history = createRootHistory();
  for (const versions of [
    [1, 1],
    [1, 2],
    [1, 1],
    [2, 1],
  ]) {
    const { root, context } = stateOf(versions);
    history.observe(root, context, 0);
  }
  t.deepEqual(sorted(history.changedSince('1,1')), ['ServiceEntry/shop/0']);
});

const HOUR_MS = 3_600_000;
const histories = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 }), {
  minLength: 1,
  maxLength: 12,
});

test('every object that differs from the version of a proxy is found, even for very old versions', (t) => {
  fc.assert(
    fc.property(histories, fc.nat(), fc.boolean(), (states, pick, isForgotten) => {
      const stateOf = createStates();
      const history = createRootHistory();
      const held = states[pick % states.length] ?? [];
      states.forEach((versions, index) => {
        const { root, context } = stateOf(versions);
        history.observe(root, context, index * HOUR_MS);
        if (isForgotten) history.retain(new Set([held.join()]), index * HOUR_MS + 1);
      });
      const since = history.changedSince(held.join());
      if (since === undefined) return false;
      return [...differences(held, states.at(-1) ?? [])].every((key) => since.has(key));
    }),
  );
  t.pass();
});
