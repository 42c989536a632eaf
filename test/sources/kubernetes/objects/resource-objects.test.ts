import test from 'ava';
import { createKindRegistry } from '../../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../../src/config/mesh-domain.js';
import { keyOf, type MeshObject, objectKey } from '../../../../src/config/object.js';
import type { RawObject } from '../../../../src/kubernetes/watch/raw-object.js';
import { readClusterObject } from '../../../../src/sources/kubernetes/objects/read-cluster-object.js';
import {
  createResourceObjects,
  type ResourceObjects,
} from '../../../../src/sources/kubernetes/objects/resource-objects.js';
import fc from '../../../support/property-testing.js';

const kinds = createKindRegistry(DEFAULT_MESH_DOMAIN);
const definition = kinds.find('networking.mesh.internal/v1beta1', 'WorkloadEntry') as NonNullable<
  ReturnType<typeof kinds.find>
>;

/** What the API server has of an object: undefined when there is none; an empty address is invalid. */
interface Stored {
  readonly version: number;
  readonly address: string;
}

const raw = (name: string, { version, address }: Stored): RawObject =>
  ({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'WorkloadEntry',
    metadata: { name, namespace: 'shop', resourceVersion: String(version) },
    spec: { address },
  }) as RawObject;

interface Served {
  readonly objects: ResourceObjects;
  readonly served: Map<string, MeshObject>;
  readonly batches: number[];
  readonly problems: Map<string, number>;
}

function createServed(withdrawsInvalid = false): Served {
  const served = new Map<string, MeshObject>();
  const batches: number[] = [];
  const problems = new Map<string, number>();
  const objects = createResourceObjects({
    definition,
    read: (object) => readClusterObject(object, definition, kinds),
    recorder: {
      event: () => undefined,
      converted: () => undefined,
      failed: () => undefined,
      refused: () => undefined,
      wellAgain: () => undefined,
    },
    onProblems: (key, found) => (found.length === 0 ? problems.delete(key) : problems.set(key, found.length)),
    withdrawsInvalid,
    onChanges: (changes) => {
      batches.push(changes.length);
      for (const change of changes) {
        if (change.type === 'upsert') served.set(keyOf(change.object), change.object);
        else served.delete(objectKey(change.kind, change.namespace, change.name));
      }
    },
    onReplaced: () => undefined,
  });
  return { objects, served, batches, problems };
}

const names = ['a', 'b', 'c'];
const step = fc.record({
  type: fc.constantFrom('write', 'delete', 'list', 'abandoned list', 'repeat'),
  name: fc.constantFrom(...names),
  address: fc.constantFrom('10.0.0.1', '10.0.0.2', ''),
});

test('whatever lists and events come, what is served is what the cluster has, at its last good state', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, withdrawsInvalid) => {
      const { objects, served, problems } = createServed(withdrawsInvalid);
      const cluster = new Map<string, Stored>();
      const good = new Map<string, string>();
      let version = 0;
      for (const { type, name, address } of steps) {
        version += 1;
        const known = cluster.get(name);
        switch (type) {
          case 'write':
            cluster.set(name, { version, address });
            if (address !== '') good.set(name, address);
            else if (withdrawsInvalid) good.delete(name);
            objects.apply([
              { type: known === undefined ? 'ADDED' : 'MODIFIED', object: raw(name, { version, address }) },
            ]);
            break;
          case 'delete':
            cluster.delete(name);
            good.delete(name);
            if (known !== undefined) objects.apply([{ type: 'DELETED', object: raw(name, { ...known, version }) }]);
            break;
          case 'repeat':
            if (known !== undefined) objects.apply([{ type: 'MODIFIED', object: raw(name, known) }]);
            break;
          case 'list': {
            const replacement = objects.replace();
            for (const [each, stored] of cluster) replacement.add([raw(each, stored)]);
            replacement.commit();
            break;
          }
          case 'abandoned list':
            objects.replace().add([...cluster].slice(0, 1).map(([each, stored]) => raw(each, stored)));
            break;
        }
      }
      const expected = [...good].map(([name, address]) => `${name} ${address}`).sort();
      const found = [...served.values()]
        .map(({ metadata, body }) => `${metadata.name} ${(body as Stored).address}`)
        .sort();
      const invalid = [...cluster]
        .filter(([, { address }]) => address === '')
        .map(([name]) => `WorkloadEntry/shop/${name}`);
      return (
        found.join() === expected.join() &&
        [...problems.keys()].sort().join() === invalid.sort().join() &&
        [...objects.all()].length === served.size
      );
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('a list of what is known causes no batch, and a change in it one', (t) => {
  const { objects, batches } = createServed();
  const list = (stored: readonly Stored[]): void => {
    const replacement = objects.replace();
    replacement.add(stored.map((each, index) => raw(names[index] ?? '', each)));
    replacement.commit();
  };
  list([
    { version: 1, address: '10.0.0.1' },
    { version: 2, address: '10.0.0.2' },
  ]);
  list([
    { version: 1, address: '10.0.0.1' },
    { version: 5, address: '10.0.0.2' },
  ]);
  t.deepEqual(batches, [2]);
  list([{ version: 6, address: '10.0.0.9' }]);
  t.deepEqual(batches, [2, 2]);
});

test('an object that was replaced by another of the same name and content is told anew', (t) => {
  const { objects, batches } = createServed();
  const made = (creationTimestamp: string, version: number): RawObject => {
    const object = raw('a', { version, address: '10.0.0.1' });
    return { ...object, metadata: { ...object.metadata, creationTimestamp } } as RawObject;
  };
  objects.apply([{ type: 'ADDED', object: made('2026-01-01T00:00:00Z', 1) }]);
  objects.apply([{ type: 'MODIFIED', object: made('2026-01-02T00:00:00Z', 2) }]);
  t.deepEqual(batches, [1, 1]);
});

test('a list that did not end leaves no problems behind', (t) => {
  const { objects, problems } = createServed();
  const list = (...listed: readonly RawObject[]) => {
    const replacement = objects.replace();
    replacement.add(listed);
    return replacement;
  };
  list(raw('a', { version: 1, address: '10.0.0.1' })).commit();
  list(raw('a', { version: 2, address: '' }), raw('b', { version: 3, address: '' }));
  // Meanwhile `a` was mended and `b` was deleted.
  list(raw('a', { version: 4, address: '10.0.0.1' })).commit();
  t.deepEqual([...problems], []);
  list(raw('a', { version: 5, address: '' })).commit();
  t.deepEqual([...problems], [['WorkloadEntry/shop/a', 1]]);
});
