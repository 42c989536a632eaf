import test from 'ava';
import type { SidecarSpec } from '../../../src/config/networking/sidecar.js';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { createSidecarIndexer } from '../../../src/model/sidecars/sidecars.js';

function sidecar(path: string, labels: Readonly<Record<string, string>> = {}, day = 1): MeshObject {
  const [namespace = '', name = ''] = path.split('/');
  const creationTimestamp = `2026-01-0${day}T00:00:00Z`;
  const body: SidecarSpec = {
    workloadSelector: { labels },
    ingress: [],
    egress: [{ bind: '', captureMode: 'DEFAULT', hosts: ['*/*'] }],
  };
  return {
    kind: 'Sidecar',
    apiVersion: 'networking.mesh.internal/v1beta1',
    metadata: { name, namespace, labels: {}, annotations: {}, resourceVersion: '1', creationTimestamp },
    body,
  };
}

const indexOf = (...objects: readonly MeshObject[]) =>
  createSidecarIndexer()({
    objects: new Map([['Sidecar', new Map(objects.map((object) => [keyOf(object), object]))]]),
    mesh: { rootNamespace: 'mesh-system' },
  });

test('a workload has the Sidecar that selects its labels, before that of its namespace, before that of the mesh', (t) => {
  const index = indexOf(
    sidecar('mesh-system/all'),
    sidecar('mesh-system/selecting', { app: 'web' }),
    sidecar('shop/all'),
    sidecar('shop/web', { app: 'web', tier: 'front' }),
  );
  const sourceOf = (namespace: string, labels: Readonly<Record<string, string>>) =>
    index.ofWorkload(namespace, labels)?.source;
  t.is(sourceOf('shop', { app: 'web', tier: 'front', version: '1' }), 'Sidecar/shop/web');
  t.is(sourceOf('shop', { app: 'web' }), 'Sidecar/shop/all');
  t.is(
    sourceOf('bank', { app: 'web' }),
    'Sidecar/mesh-system/all',
    'a selector of the root namespace selects only there',
  );
  t.is(sourceOf('mesh-system', { app: 'web' }), 'Sidecar/mesh-system/selecting');
});

test('the oldest of several Sidecars applies, and of equally old ones the first by name', (t) => {
  const index = indexOf(
    sidecar('shop/a', { app: 'web' }, 2),
    sidecar('shop/c', { app: 'web' }, 1),
    sidecar('shop/b', { app: 'web' }, 1),
    sidecar('shop/y', {}, 3),
    sidecar('shop/z', {}, 2),
  );
  t.is(index.ofWorkload('shop', { app: 'web' })?.source, 'Sidecar/shop/b');
  t.is(index.ofWorkload('shop', {})?.source, 'Sidecar/shop/z');
});

test('a namespace without a Sidecar has none while the root namespace has none for all', (t) => {
  t.is(indexOf(sidecar('shop/a')).ofWorkload('bank', {}), undefined);
  t.true(indexOf().isEmpty);
});
