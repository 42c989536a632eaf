import test from 'ava';
import { clusterObjects } from '../../../bench/kubernetes/cluster-objects.js';
import { buildClusterShape, buildPodIdentities } from '../../../bench/kubernetes/cluster-shape.js';

const SIZE = { services: 200, endpointsPerService: 5, pods: 100, namespaces: 4 };

test('each service has its endpoints among the pods of its own namespace', (t) => {
  const { services, pods } = buildClusterShape(SIZE);
  t.is(services.length, 200);
  t.is(pods.length, 100);
  for (const service of services) {
    t.is(service.pods.length, 5);
    t.true(service.pods.every(({ namespace, app }) => namespace === service.namespace && app === service.app));
  }
});

test('no two pods share an address, no two services of a pod a port', (t) => {
  const { services, pods } = buildClusterShape({ ...SIZE, services: 1000, pods: 1000 });
  t.is(new Set(pods.map(({ address }) => address)).size, 1000);
  const served = services.flatMap(({ pods: own, targetPort }) => own.map(({ name }) => `${name} ${targetPort}`));
  t.is(new Set(served).size, served.length);
  t.is(new Set(services.map(({ clusterIp }) => clusterIp ?? '')).size, 1000 - 10 + 1);
});

test('equal sizes give equal objects', (t) => {
  t.deepEqual(clusterObjects(buildClusterShape(SIZE)), clusterObjects(buildClusterShape(SIZE)));
  const [first, second] = clusterObjects(buildClusterShape(SIZE));
  t.is(first?.length, 4 + 50);
  t.is(second?.length, 100 + 200 + 200);
});

test('sidecars are spread over the pods', (t) => {
  const shape = buildClusterShape(SIZE);
  const identities = buildPodIdentities(shape, 10);
  t.is(new Set(identities.map(({ id }) => id)).size, 10);
  t.is(identities[1]?.metadata['INSTANCE_IPS'], shape.pods[10]?.address);
  t.is(buildPodIdentities(shape, 300).length, 300);
});
