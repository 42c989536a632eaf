import test from 'ava';
import type { GatewaySpec } from '../../../src/config/networking/gateway.js';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import type { Derivation, DerivationInput, DerivedFamily } from '../../../src/model/derived/derivation.js';
import { sourceKeysOf } from '../../../src/model/derived/source-keys.js';
import { createMeshStore, type MeshStore } from '../../../src/model/store/mesh-store.js';
import { MESH, NO_NETWORKS } from '../../generators/context-builder.js';
import { batch, gone, SETTINGS, service, snapshot } from '../mesh-objects.js';

/** An object of a kind that only the family of this test reads. */
function door(path: string, backend: string, resourceVersion: string, created?: string): MeshObject {
  const [namespace = '', name = ''] = path.split('/');
  const age = created === undefined ? {} : { creationTimestamp: created };
  return {
    kind: 'Door',
    apiVersion: 'example.org/v1',
    metadata: { namespace, name, labels: {}, annotations: {}, resourceVersion, ...age },
    body: { backend },
    origin: 'cluster',
  };
}

/** Makes a Gateway of each door whose backend exists. */
function doors(runs: string[][]): DerivedFamily {
  return {
    kinds: ['Door'],
    derive: ({ objectsOf, find }: DerivationInput): Derivation => {
      const all = objectsOf('Door');
      runs.push(all.map(keyOf));
      const objects = all.flatMap((object) => {
        const { name, namespace } = object.metadata;
        const { backend } = object.body as { readonly backend: string };
        if (find('Service', namespace, backend) === undefined) return [];
        const body: GatewaySpec = {
          servers: [{ port: { number: 80, protocol: 'HTTP', name: backend }, hosts: [`${namespace}/*`] }],
          selector: { mesh: 'ingressgateway' },
        };
        return [
          {
            kind: 'Gateway' as const,
            namespace: 'mesh-system',
            name: `${name}-door`,
            body,
            sources: [object] as const,
          },
        ];
      });
      const problems = all
        .filter(({ metadata }) => !objects.some(({ name }) => name === `${metadata.name}-door`))
        .map((object) => ({ type: 'reference' as const, object: keyOf(object), text: 'has no backend' }));
      return { objects, problems };
    },
  };
}

function storeOf(runs: string[][]): MeshStore {
  return createMeshStore(SETTINGS, { mesh: MESH, networks: NO_NETWORKS }, [doors(runs)]);
}

const GATEWAY = 'Gateway/mesh-system/front-door';

test('an object is made from another, with its age and origin, and names it', (t) => {
  const store = storeOf([]);
  const { push } = store.apply(batch(service('shop/web'), door('shop/front', 'web', '1', '2026-01-01T00:00:00Z')));
  t.deepEqual(push?.changed, new Set(['Service/shop/web', 'Door/shop/front', GATEWAY]));
  t.true(push?.full);
  const context = snapshot(store);
  const made = context.objects.get('Gateway')?.get(GATEWAY);
  t.deepEqual(made?.derivedFrom, ['Door/shop/front']);
  t.is(made?.origin, 'cluster');
  t.is(made?.metadata.creationTimestamp, '2026-01-01T00:00:00Z');
  t.deepEqual(sourceKeysOf(context, GATEWAY), ['Door/shop/front']);
  t.deepEqual(sourceKeysOf(context, 'Door/shop/front'), []);
});

test('a change of one source changes only what comes of it', (t) => {
  const store = storeOf([]);
  store.apply(
    batch(service('shop/web'), service('shop/api'), door('shop/front', 'web', '1'), door('shop/back', 'api', '2')),
  );
  const first = snapshot(store);
  const { push } = store.apply(batch(door('shop/front', 'api', '3')));
  t.deepEqual(push?.changed, new Set(['Door/shop/front', GATEWAY]));
  const second = snapshot(store, first);
  const back = 'Gateway/mesh-system/back-door';
  t.is(second.objects.get('Gateway')?.get(back), first.objects.get('Gateway')?.get(back));
  const version = (context: typeof first) => context.objects.get('Gateway')?.get(GATEWAY)?.metadata.resourceVersion;
  t.not(version(second), version(first));
});

test('a family runs again when an object that it looked up appears, and not for other objects', (t) => {
  const runs: string[][] = [];
  const store = storeOf(runs);
  store.apply(batch(service('shop/other')));
  t.is(runs.length, 0);
  store.apply(batch(door('shop/front', 'web', '1')));
  t.deepEqual(snapshot(store).derivationProblems, [
    { type: 'reference', object: 'Door/shop/front', text: 'has no backend' },
  ]);
  store.apply(batch(service('shop/another')));
  t.is(runs.length, 1);
  const { push } = store.apply(batch(service('shop/web')));
  t.is(runs.length, 2);
  t.deepEqual(push?.changed, new Set(['Service/shop/web', GATEWAY]));
  t.deepEqual(snapshot(store).derivationProblems, []);
});

test('an object that is made disappears with its source', (t) => {
  const store = storeOf([]);
  const front = door('shop/front', 'web', '1');
  store.apply(batch(service('shop/web'), front));
  const { push } = store.apply(batch(gone(front)));
  t.deepEqual(push?.changed, new Set(['Door/shop/front', GATEWAY]));
  t.is(snapshot(store).objects.get('Gateway')?.size, 0);
});

test('an applied object wins over one that is made under its key, and the source is told', (t) => {
  const store = storeOf([]);
  const front = door('shop/front', 'web', '1');
  const own: MeshObject = {
    ...front,
    kind: 'Gateway',
    metadata: { ...front.metadata, namespace: 'mesh-system', name: 'front-door', resourceVersion: '2' },
    body: { servers: [], selector: {} } satisfies GatewaySpec,
  };
  store.apply(batch(service('shop/web'), front));
  store.apply(batch(own));
  const taken = snapshot(store);
  t.is(taken.objects.get('Gateway')?.get(GATEWAY), own);
  t.deepEqual(
    taken.derivationProblems.map(({ type, object }) => `${type} ${object}`),
    ['conflict Door/shop/front'],
  );
  store.apply(batch(gone(own)));
  const free = snapshot(store);
  t.deepEqual(free.objects.get('Gateway')?.get(GATEWAY)?.derivedFrom, ['Door/shop/front']);
  t.deepEqual(free.derivationProblems, []);
});

test('the oldest source comes first', (t) => {
  const runs: string[][] = [];
  const store = storeOf(runs);
  store.apply(
    batch(
      door('shop/b', 'web', '1', '2026-01-02T00:00:00Z'),
      door('shop/a', 'web', '2', '2026-01-02T00:00:00Z'),
      door('shop/z', 'web', '3', '2026-01-01T00:00:00Z'),
    ),
  );
  t.deepEqual(runs, [['Door/shop/z', 'Door/shop/a', 'Door/shop/b']]);
});
