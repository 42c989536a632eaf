import test from 'ava';
import { buildEndpointChanges, buildServiceChanges, type MeshChange } from '../../../bench/mesh/mesh-change.js';
import { meshFiles } from '../../../bench/mesh/mesh-folder.js';
import { buildMeshServices } from '../../../bench/mesh/mesh-shape.js';
import { MeshClusterChanges, meshObjects } from '../../../bench/subject/mesh-cluster-changes.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';

const SIZE = { services: 20, endpointsPerService: 2, namespaces: 2, routed: 1, scopes: 0 };
const services = buildMeshServices(SIZE);

/** The kinds of the objects that a change applies. */
async function appliedBy(change: MeshChange | undefined): Promise<readonly string[]> {
  const applied: KubernetesManifest[] = [];
  const changes = new MeshClusterChanges({ apply: async (object) => void applied.push(object) });
  if (change !== undefined) await changes.prepare({ phase: 'endpoint', repeat: 0, change });
  await changes.trigger();
  return applied.map(({ kind }) => kind);
}

test('a mesh in a cluster has the objects of its files and their namespaces, without the addresses of services', (t) => {
  const objects = meshObjects(meshFiles(services, SIZE));
  const count = (kind: string): number => objects.filter((object) => object.kind === kind).length;
  t.deepEqual(['Namespace', 'Service', 'EndpointSlice', 'VirtualService'].map(count), [2, 20, 20, 1]);
  t.is(objects[0]?.kind, 'Namespace');
  const addresses = objects.map(({ spec }) => (spec as { clusterIP?: string } | undefined)?.clusterIP);
  t.true(addresses.every((address) => address === undefined || address === 'None'));
});

test('a change applies the objects that differ, and no others', async (t) => {
  t.deepEqual(await appliedBy(buildEndpointChanges(services, 1)[0]), ['EndpointSlice']);
  t.deepEqual(await appliedBy(buildServiceChanges(services, 1)[0]), ['Service', 'EndpointSlice']);
});
