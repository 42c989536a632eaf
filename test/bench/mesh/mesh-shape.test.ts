import test from 'ava';
import { buildEndpointChanges, buildRouteChanges, buildServiceChanges } from '../../../bench/mesh/mesh-change.js';
import { buildMeshServices, countTcpServices, serviceHost } from '../../../bench/mesh/mesh-shape.js';
import { routedServices } from '../../../bench/mesh/routing-yaml.js';
import { formatScopeFiles } from '../../../bench/mesh/scope-yaml.js';
import { formatServiceFile, serviceFilePath } from '../../../bench/mesh/service-yaml.js';

const SIZE = { services: 1000, endpointsPerService: 10, namespaces: 10 };

test('the same size gives the same files, byte for byte', (t) => {
  const write = () => buildMeshServices(SIZE).map((service) => [serviceFilePath(service), formatServiceFile(service)]);
  t.deepEqual(write(), write());
});

test('one in ten services is plain TCP and one in a hundred is headless', (t) => {
  const services = buildMeshServices(SIZE);
  t.is(services.filter(({ kind }) => kind === 'tcp').length, 100);
  t.is(services.filter(({ kind }) => kind === 'headless').length, 10);
  t.true(services.every(({ kind, clusterIp }) => (kind === 'headless') === (clusterIp === undefined)));
});

test('the number of TCP services is known without building them', (t) => {
  for (const services of [10, 13, 14, 99, 1000]) {
    const built = buildMeshServices({ ...SIZE, services }).filter(({ kind }) => kind === 'tcp').length;
    t.is(countTcpServices(services), built);
  }
});

test('no address and no path is used twice, even in the largest mesh', (t) => {
  const services = buildMeshServices({ services: 20_000, endpointsPerService: 20, namespaces: 10 });
  const addresses = services.flatMap(({ clusterIp, endpoints }) => [
    ...(clusterIp === undefined ? [] : [clusterIp]),
    ...endpoints.map(({ address }) => address),
  ]);
  t.is(new Set(addresses).size, addresses.length);
  t.true(addresses.every((address) => address.split('.').every((octet) => Number(octet) < 255)));
  t.is(new Set(services.map(serviceFilePath)).size, services.length);
});

test('services are spread evenly over the namespaces', (t) => {
  const services = buildMeshServices(SIZE);
  t.is(services.filter(({ namespace }) => namespace === 'ns-7').length, 100);
  t.is(serviceHost({ name: 'svc-00007', namespace: 'ns-7' }), 'svc-00007.ns-7.svc.cluster.local');
});

test('each endpoint change starts from the last one and adds a new address', (t) => {
  const services = buildMeshServices(SIZE);
  const all = new Set(services.flatMap(({ endpoints }) => endpoints.map(({ address }) => address)));
  const changes = buildEndpointChanges(services, 3);
  t.is(changes.length, 3);
  for (const [index, { from: before, to: after, markers }] of changes.entries()) {
    t.deepEqual(before, index === 0 ? services.find(({ name }) => name === after.name) : changes[index - 1]?.to);
    t.is(after.endpoints.length, before.endpoints.length);
    const [marker] = markers;
    t.is(after.endpoints.at(-1)?.address, marker?.text);
    t.false(all.has(marker?.text ?? ''));
    all.add(marker?.text ?? '');
  }
});

test('each service change gives another TCP service an HTTP port', (t) => {
  const services = buildMeshServices(SIZE);
  const changes = buildServiceChanges(services, 3);
  t.is(new Set(changes.map(({ from }) => from.name)).size, 3);
  for (const { from: before, to: after } of changes) {
    t.true(before.ports.every(({ port }) => port !== 80));
    t.is(after.ports.filter(({ port }) => port === 80).length, 1);
  }
  t.throws(() => buildServiceChanges(services, 101), { instanceOf: RangeError, message: /101 service changes/ });
});

test('each route change starts from the last one and has another release', (t) => {
  const services = buildMeshServices(SIZE);
  const changes = buildRouteChanges(routedServices(services, 100), 3);
  t.deepEqual(
    changes.map(({ markers }) => markers[0]?.text),
    ['release-001', 'release-002', 'release-003'],
  );
  for (const [index, { before, after, markers }] of changes.entries()) {
    t.true(after.includes(markers[0]?.text ?? ''));
    t.false(before.includes(markers[0]?.text ?? ''));
    t.is(before, index === 0 ? before : (changes[index - 1]?.after ?? ''));
  }
  t.throws(() => buildRouteChanges([], 1), { instanceOf: RangeError, message: /no VirtualService/ });
});

test('scopes see different halves of the namespaces, and namespaces of one scope the same', (t) => {
  const seen = [...formatScopeFiles(['a', 'b', 'c', 'd'], 2)].map(([path, text]) => [
    path,
    [...text.matchAll(/"(.)\/\*"/g)].map(([, namespace]) => namespace).join(''),
  ]);
  t.deepEqual(seen, [
    ['a/scope.yaml', 'ab'],
    ['b/scope.yaml', 'bc'],
    ['c/scope.yaml', 'ab'],
    ['d/scope.yaml', 'bc'],
  ]);
});
