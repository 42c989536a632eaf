import test from 'ava';
import type { MeshObject, ObjectKey } from '../../src/config/object.js';
import type { PushContext } from '../../src/model/push-context.js';
import { ledgerChanges } from '../../src/push/ledger-changes.js';

const object = (kind: string, name: string, resourceVersion: string): MeshObject => ({
  kind,
  apiVersion: 'v1',
  metadata: { name, namespace: 'ns', labels: {}, annotations: {}, resourceVersion },
  body: {},
});

function contextOf(...objects: MeshObject[]): PushContext {
  const byKind = new Map<string, Map<ObjectKey, MeshObject>>();
  for (const each of objects) {
    const known = byKind.get(each.kind) ?? new Map<ObjectKey, MeshObject>();
    known.set(`${each.kind}/ns/${each.metadata.name}`, each);
    byKind.set(each.kind, known);
  }
  return { objects: byKind } as unknown as PushContext;
}

const context = contextOf(object('Service', 'a', '1'), object('ServiceEntry', 'b', '2'), object('Pod', 'p', '3'));

test('the first snapshot records every object but those that change with every pod, and the mesh config', (t) => {
  const [mesh, ...objects] = ledgerChanges(undefined, context, 'everything');
  t.is(mesh?.key, 'MeshConfig//mesh');
  const changed = { ...context, mesh: { connectTimeoutMs: 1 } } as unknown as PushContext;
  t.not([...ledgerChanges(undefined, changed, 'everything')][0]?.version, mesh?.version);
  t.deepEqual(objects, [
    { key: 'Service/ns/a', version: '1' },
    { key: 'ServiceEntry/ns/b', version: '2' },
  ]);
});

test('a change records the objects it names, and deleted ones without a version', (t) => {
  const changed = new Set([
    'Service/ns/a',
    'Service/ns/gone',
    'Pod/ns/p',
    'EndpointSlice/ns/e',
    'Node//n',
    'Endpoints/ns/e',
  ]);
  t.deepEqual(
    [...ledgerChanges(context, context, changed)],
    [
      { key: 'Service/ns/a', version: '1' },
      { key: 'Service/ns/gone', version: undefined },
    ],
  );
});

test('two snapshots are compared where a push is about everything: deleted objects lose their version', (t) => {
  const kept = object('ServiceEntry', 'kept', '1');
  const before = contextOf(kept, object('ServiceEntry', 'gone', '2'), object('Service', 'old', '3'));
  const after = { ...contextOf(kept, object('ServiceEntry', 'new', '4')), mesh: before.mesh };
  t.deepEqual(
    [...ledgerChanges(before, after, 'everything')],
    [
      { key: 'ServiceEntry/ns/gone', version: undefined },
      { key: 'ServiceEntry/ns/new', version: '4' },
      { key: 'Service/ns/old', version: undefined },
    ],
  );
});
