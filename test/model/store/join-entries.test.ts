import test from 'ava';
import type { ServiceEntrySpec } from '../../../src/config/networking/service-entry.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { batch, contextOf, gone, service, serviceEntry, snapshot, storeWith, workload } from '../mesh-objects.js';

const HOST = 'api.example.com';

/** Of the same namespace; `age` counts from the oldest. */
function entry(age: number, ports: ServiceEntrySpec['ports'], fields: Partial<ServiceEntrySpec> = {}): MeshObject {
  const spec = { ports, endpoints: [workload(`10.0.0.${age}`)], ...fields };
  return serviceEntry(`shop/e${age}`, spec, { creationTimestamp: `2026-01-0${age}T00:00:00Z` });
}

const http = (number: number, name = 'http') => ({ number, name, protocol: 'HTTP' });

/** `number name: addresses:ports` of each served port. */
function served({ servicesByHost, endpoints }: PushContext): readonly string[] {
  const all = [...(endpoints.get(HOST)?.shards.values() ?? [])].flat();
  return (servicesByHost.get(HOST)?.ports ?? []).map(({ number, name }) => {
    const places = all.filter(({ portName }) => portName === name).map(({ address, port }) => `${address}:${port}`);
    return `${number} ${name}: ${places.sort().join()}`;
  });
}

test('the ports of all entries for a host are served, each by its own endpoints', (t) => {
  const context = contextOf([entry(1, [http(80)]), entry(2, [http(8080, 'admin')])]);
  t.deepEqual(served(context), ['80 http: 10.0.0.1:80', '8080 admin: 10.0.0.2:8080']);
  t.deepEqual(context.findings, []);
});

test('ports of one name and two numbers are both served, under two names', (t) => {
  const context = contextOf([entry(2, [http(8080)]), entry(1, [http(80)])]);
  t.deepEqual(served(context), ['80 http: 10.0.0.1:80', '8080 http-8080: 10.0.0.2:8080']);
});

test('ports of one number are one port with the endpoints of both, whatever they are called', (t) => {
  const context = contextOf([entry(1, [http(80)]), entry(2, [http(80, 'web')])]);
  t.deepEqual(served(context), ['80 http: 10.0.0.1:80,10.0.0.2:80']);
});

test('entries with another resolution or visibility are not joined, and are reported', (t) => {
  for (const fields of [{ resolution: 'DNS' as const }, { exportTo: ['.'] }]) {
    const context = contextOf([entry(1, [http(80)]), entry(2, [http(8080, 'admin')], fields)]);
    t.deepEqual(served(context), ['80 http: 10.0.0.1:80']);
    t.is(context.findings[0]?.metric, 'nav_duplicate_proxy_clusters');
  }
});

test('a Service says itself which ports it has', (t) => {
  const host = 'web.shop.svc.cluster.local';
  const context = contextOf([service('shop/web'), entry(1, [http(8080, 'admin')], { hosts: [host] })]);
  t.deepEqual(
    context.servicesByHost.get(host)?.ports.map(({ number }) => number),
    [80],
  );
});

test('joined entries keep their objects while they are unchanged, and lose the ports of a removed entry', (t) => {
  const store = storeWith();
  const second = entry(2, [http(8080)]);
  store.apply(batch(entry(1, [http(80)]), second));
  const before = snapshot(store);
  t.is(store.apply(batch(entry(1, [http(80)]), entry(2, [http(8080)]))).push?.endpoints.size, 0);
  const same = snapshot(store, before);
  t.is(same.servicesByHost.get(HOST), before.servicesByHost.get(HOST));
  t.is(same.endpoints.get(HOST), before.endpoints.get(HOST));
  store.apply(batch(gone(second)));
  t.deepEqual(served(snapshot(store)), ['80 http: 10.0.0.1:80']);
});
