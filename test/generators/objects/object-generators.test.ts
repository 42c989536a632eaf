import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { createObjectGenerators } from '../../../src/generators/objects/object-generators.js';
import type { Proxy } from '../../../src/model/proxy.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildContext, buildProxy } from '../context-builder.js';
import { ENCODER, generateAll } from '../served-resources.js';

const TYPE = 'networking.mesh.internal/v1beta1/Sidecar';
const { definitions } = createKindRegistry('mesh.internal');
const generators = createObjectGenerators(ENCODER, definitions);
const sidecars = generators.find(({ typeUrl }) => typeUrl === TYPE) as (typeof generators)[number];

function sidecar(namespace: string, name: string, body: object = {}): MeshObject {
  const metadata = { name, namespace, labels: {}, annotations: {}, resourceVersion: '1' };
  return { kind: 'Sidecar', apiVersion: 'networking.mesh.internal/v1beta1', metadata, body };
}

function resourcesFor(proxy: Partial<Proxy>, objects: readonly MeshObject[]) {
  const table = new Map([['Sidecar', new Map(objects.map((object) => [keyOf(object), object]))]]);
  const context = { ...buildContext(), objects: table };
  return generateAll(sidecars, context, buildProxy({ isApiClient: true, configNamespace: 'shop', ...proxy })).resources;
}

const OBJECTS = [sidecar('shop', 'all'), sidecar('money', 'all')];

test('every kind of the mesh has a type, and no kind of Kubernetes has one', (t) => {
  const own = definitions.filter(({ group }) => group.endsWith('mesh.internal'));
  t.deepEqual(generators.map(({ typeUrl }) => typeUrl.split('/')[2]).sort(), own.map(({ kind }) => kind).sort());
});

test('a client gets the objects that it may read', (t) => {
  const namesFor = (proxy: Partial<Proxy>) => resourcesFor(proxy, OBJECTS).map(({ name }) => name);
  t.deepEqual(namesFor({ readsObjects: 'namespace' }), ['shop/all']);
  t.deepEqual([...namesFor({ readsObjects: 'all' })].sort(), ['money/all', 'shop/all']);
  t.deepEqual(namesFor({}), []);
});

test('the version of a resource changes with its object alone, and secrets are left out', (t) => {
  const versionsOf = (body: object) =>
    new Map(
      resourcesFor({ readsObjects: 'all' }, [sidecar('shop', 'a', body), ...OBJECTS]).map(
        ({ name, version }) => [name, version] as const,
      ),
    );
  const [before, after] = [versionsOf({ port: 1 }), versionsOf({ port: 2 })];
  t.not(before.get('shop/a'), after.get('shop/a'));
  t.is(before.get('shop/all'), after.get('shop/all'));
  const [secret] = resourcesFor({ readsObjects: 'all' }, [sidecar('shop', 'a', { password: 'hunter2' })]);
  t.false(secret?.entry.includes('hunter2'));
  t.true(secret?.entry.includes('[redacted]'));
});

test('a type changes with objects of its kind', (t) => {
  const concerns = (key: string) => sidecars.affectedBy(pushRequest({ changed: new Set([key]) }), 'sidecar');
  t.true(concerns('Sidecar/shop/all'));
  t.false(concerns('Gateway/shop/all'));
  t.true(sidecars.affectedBy(pushRequest({ changed: 'everything' }), 'sidecar'));
});
