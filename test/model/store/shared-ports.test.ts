import test from 'ava';
import type { SharedPort } from '../../../src/model/served-ports.js';
import { batch, contextOf, endpoints, gone, port, service, snapshot, storeWith } from '../mesh-objects.js';

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-02-01T00:00:00Z';
const aged = (path: string, creationTimestamp: string, ports = [port(80)]) =>
  service(path, { ports }, { creationTimestamp });
const SHARED: SharedPort = {
  port: 8080,
  service: 'young.shop.svc.cluster.local',
  servedFor: 'old.shop.svc.cluster.local',
  namespace: 'shop',
};

test('two services at one port of a workload share it, and the older one is served', (t) => {
  const objects = [
    aged('shop/young', NEW),
    endpoints('shop/young', ['10.0.0.1', '10.0.0.2']),
    aged('shop/old', OLD),
    endpoints('shop/old', ['10.0.0.2', '10.0.0.3']),
  ];
  t.deepEqual(contextOf(objects).sharedPorts, [SHARED]);
});

test('services share nothing at workloads, ports and in namespaces that differ', (t) => {
  const base = [aged('shop/old', OLD), endpoints('shop/old', ['10.0.0.1'])];
  const other = { subsets: [{ addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [], ports: [tcp(9090)] }] };
  t.deepEqual(contextOf([...base, aged('shop/young', NEW), endpoints('shop/young', ['10.0.0.2'])]).sharedPorts, []);
  t.deepEqual(contextOf([...base, aged('shop/young', NEW), endpoints('shop/young', [], other)]).sharedPorts, []);
  t.deepEqual(contextOf([...base, aged('bank/young', NEW), endpoints('bank/young', ['10.0.0.1'])]).sharedPorts, []);
});

const tcp = (number: number) => ({ name: 'http', port: number, protocol: 'TCP' as const });

test('shared ports follow endpoints and services, and are the same array while they are the same', (t) => {
  const store = storeWith();
  const old = aged('shop/old', OLD);
  const young = aged('shop/young', NEW);
  store.apply(batch(old, young, endpoints('shop/old', ['10.0.0.1']), endpoints('shop/young', ['10.0.0.2'])));
  t.deepEqual(snapshot(store).sharedPorts, []);
  store.apply(batch(endpoints('shop/young', ['10.0.0.1', '10.0.0.2'])));
  const { sharedPorts } = snapshot(store);
  t.deepEqual(sharedPorts, [SHARED]);
  store.apply(batch(endpoints('shop/young', ['10.0.0.1', '10.0.0.2', '10.0.0.3'])));
  store.apply(batch(endpoints('shop/old', ['10.0.0.1', '10.0.0.3'])));
  t.is(snapshot(store).sharedPorts, sharedPorts);
  store.apply(batch(endpoints('shop/old', ['10.0.0.3'])));
  t.is(snapshot(store).sharedPorts, sharedPorts);
  store.apply(batch(gone(old)));
  t.deepEqual(snapshot(store).sharedPorts, []);
});
