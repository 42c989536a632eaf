import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { ChangeBatch } from '../../../src/model/object-change.js';
import { createMockRegistry } from '../../../src/sources/mock/mock-registry.js';

function namespace(name: string): MeshObject {
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, namespace: '', labels: {}, annotations: {}, resourceVersion: '1' },
    body: {},
  };
}

test('it starts empty, and tells each addition and removal as a batch', async (t) => {
  const batches: ChangeBatch[] = [];
  const registry = createMockRegistry({ cluster: 'test' });
  await registry.start((batch) => batches.push(batch));
  t.deepEqual(batches, []);
  registry.upsert(namespace('a'), namespace('b'));
  registry.remove('Namespace//a', 'Namespace//unknown');
  t.deepEqual(batches, [
    {
      cluster: 'test',
      changes: [
        { type: 'upsert', object: namespace('a') },
        { type: 'upsert', object: namespace('b') },
      ],
    },
    { cluster: 'test', changes: [{ type: 'delete', kind: 'Namespace', namespace: '', name: 'a' }] },
  ]);
  t.deepEqual(registry.objects(), [namespace('b')]);
});

test('objects added before the start are delivered at the start, and none after the stop', async (t) => {
  const batches: ChangeBatch[] = [];
  const registry = createMockRegistry({ cluster: 'test' });
  registry.upsert(namespace('early'));
  await registry.start((batch) => batches.push(batch));
  await registry.stop();
  registry.upsert(namespace('late'));
  t.deepEqual(batches, [{ cluster: 'test', changes: [{ type: 'upsert', object: namespace('early') }] }]);
});
