import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { keyOf } from '../../../src/config/object.js';
import type { ObjectChange } from '../../../src/model/object-change.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { Service } from '../../../src/model/service.js';
import { buildProxy } from '../../generators/context-builder.js';
import fc from '../../support/property-testing.js';
import {
  batch,
  endpoints,
  gone,
  node,
  pod,
  port,
  service,
  serviceEntry,
  slice,
  snapshot,
  storeWith,
  workload,
  workloadEntry,
} from '../mesh-objects.js';

const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const NAMESPACES = ['shop', 'bank'];

const address = fc.constantFrom(...ADDRESSES);
const addresses = fc.uniqueArray(address);
const namespace = fc.constantFrom(...NAMESPACES);
const name = fc.constantFrom('web', 'db');
const path = fc.tuple(namespace, name).map(([ns, of]) => `${ns}/${of}`);
const labels = fc.constantFrom({}, { app: 'web' }, { app: 'db' }, { app: 'web', tier: 'front' });
const created = fc.constantFrom(
  {},
  { creationTimestamp: '2026-01-01T00:00:00Z' },
  { creationTimestamp: '2026-01-02T00:00:00Z' },
);
const exportTo = fc.constantFrom([], ['*'], ['.'], ['bank'], ['.', 'bank']);

const anyService = fc
  .tuple(
    path,
    fc.constantFrom('10.96.0.1', 'None'),
    labels,
    fc.constantFrom([port(80)], [port(80), port(90, 'grpc', { targetPort: 'named' })]),
    fc.boolean(),
    fc.constantFrom({}, { annotations: { 'networking.mesh.internal/exportTo': '.' } }),
  )
  .map(([at, clusterIP, selector, ports, publishNotReadyAddresses, meta]) =>
    service(at, { clusterIP, selector, ports, publishNotReadyAddresses }, meta),
  );

const anyEndpoints = fc.tuple(path, addresses, addresses, fc.boolean()).map(([at, ready, notReady, named]) => {
  const targetRef = { kind: 'Pod', namespace: at.split('/')[0] as string, name: 'p0' };
  const list = (ips: readonly string[]) => ips.map((ip) => (named ? { ip, targetRef } : { ip, nodeName: 'n1' }));
  const ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];
  return endpoints(at, [], { subsets: [{ addresses: list(ready), notReadyAddresses: list(notReady), ports }] });
});

const anySlice = fc
  .tuple(namespace, fc.constantFrom('s0', 's1'), name, addresses, fc.boolean())
  .map(([ns, own, owner, ips, ready]) =>
    slice(`${ns}/${own}`, owner, {
      endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready }, zone: 'z' })),
    }),
  );

const anyPod = fc
  .tuple(
    namespace,
    fc.constantFrom('p0', 'p1', 'p2'),
    address,
    labels,
    fc.constantFrom('n1', 'n2'),
    fc.constantFrom('default', 'robot'),
    fc.constantFrom('Running', 'Pending', 'Failed'),
    fc.boolean(),
  )
  .map(([ns, own, ip, podLabels, nodeName, serviceAccountName, phase, hostNetwork]) => {
    const containers = [{ name: 'app', ports: [{ name: 'named', containerPort: 9090, protocol: 'TCP' as const }] }];
    return pod(
      `${ns}/${own}`,
      ip,
      { labels: podLabels },
      { nodeName, serviceAccountName, hostNetwork, containers },
      { phase },
    );
  });

const anyNode = fc
  .tuple(fc.constantFrom('n1', 'n2'), fc.constantFrom('r1', 'r2', ''))
  .map(([of, region]) => node(of, region, region === '' ? '' : 'z'));

const anyServiceEntry = fc
  .tuple(
    path,
    fc.uniqueArray(fc.constantFrom('a.example.com', 'web.shop.svc.cluster.local', '*.example.com'), { minLength: 1 }),
    fc.constantFrom('STATIC' as const, 'DNS' as const, 'NONE' as const),
    fc.option(addresses, { nil: undefined }),
    labels,
    exportTo,
    created,
    fc.boolean(),
  )
  .map(([at, hosts, resolution, ips, selector, exports, meta, hasAddress]) =>
    serviceEntry(
      at,
      {
        hosts,
        resolution,
        exportTo: exports,
        addresses: hasAddress ? ['10.97.0.1'] : [],
        ...(ips === undefined
          ? { workloadSelector: { labels: selector } }
          : { endpoints: ips.map((ip) => workload(ip, { serviceAccount: 'vm' })) }),
      },
      meta,
    ),
  );

const anyWorkloadEntry = fc
  .tuple(path, address, labels, fc.constantFrom('', 'vm'))
  .map(([at, ip, ofLabels, serviceAccount]) => workloadEntry(at, ip, { labels: ofLabels, serviceAccount }));

const anyObject = fc.oneof(anyService, anyEndpoints, anySlice, anyPod, anyNode, anyServiceEntry, anyWorkloadEntry);

interface Step {
  readonly object: MeshObject;
  readonly isDelete: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  object: anyObject,
  isDelete: fc.boolean().chain((first) => fc.boolean().map((second) => first && second)),
});

const anySettings = fc.record({ useEndpointSlice: fc.boolean(), servicesSelectWorkloadEntries: fc.boolean() });

/** Everything that a snapshot shows, in a form that can be compared; views by content, for ids count history. */
function contentOf(context: PushContext): unknown {
  const shown = (item: Service) => item;
  const proxies = NAMESPACES.flatMap((ns) =>
    ADDRESSES.map((ip) => buildProxy({ configNamespace: ns, ipAddresses: [ip] })),
  );
  return {
    services: context.services,
    byHost: [...context.servicesByHost].sort(byKey),
    shadowed: [...context.shadowedByHost.entries()].sort(byKey),
    endpoints: [...context.endpoints.entries()].sort(byKey).map(([host, { shards, serviceAccounts }]) => ({
      host,
      shards: [...shards].sort(byKey),
      // Kept over the time without endpoints, which a fresh mesh knows nothing of.
      serviceAccounts: [...shards.values()].flat().length === 0 ? [] : serviceAccounts,
    })),
    objects: [...context.objects.values()].flatMap((objects) => [...objects]).sort(byKey),
    findings: context.findings.map(({ metric, key, message }) => `${metric} ${key} ${message}`).sort(),
    sharedPorts: context.sharedPorts,
    views: [...NAMESPACES, 'elsewhere'].map((ns) => context.viewOf(ns).services.map(shown)),
    targets: proxies.map((proxy) => context.targetsOf(proxy)),
  };
}

function byKey([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number {
  return first < second ? -1 : 1;
}

function changeOf({ object, isDelete }: Step): ObjectChange {
  return isDelete ? gone(object) : { type: 'upsert', object };
}

test('any history of changes ends in the state that a fresh store has after the final objects', (t) => {
  fc.assert(
    fc.property(anySettings, fc.array(fc.array(anyStep, { maxLength: 4 }), { maxLength: 25 }), (settings, batches) => {
      const store = storeWith(settings);
      const final = new Map<string, MeshObject>();
      for (const steps of batches) {
        store.apply(batch(...steps.map(changeOf)));
        for (const { object, isDelete } of steps) {
          if (isDelete) final.delete(keyOf(object));
          else final.set(keyOf(object), object);
        }
        if (steps.length % 2 === 0) snapshot(store);
      }
      const fresh = storeWith(settings);
      fresh.apply(batch(...final.values()));
      t.deepEqual(contentOf(snapshot(store)), contentOf(snapshot(fresh)));
    }),
    { numRuns: 300 },
  );
});

test('a snapshot never changes, whatever happens to the store after it was taken', (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 15 }), fc.array(anyStep, { maxLength: 15 }), (before, after) => {
      const store = storeWith();
      store.apply(batch(...before.map(changeOf)));
      const context = snapshot(store);
      const content = structuredClone(contentOf(context));
      for (const step of after) {
        store.apply(batch(changeOf(step)));
        snapshot(store);
      }
      t.deepEqual(contentOf(context), content);
    }),
    { numRuns: 150 },
  );
});

test('a step that says that nothing is to be pushed leaves services, endpoints and targets the very same', (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 30 }), (steps) => {
      const store = storeWith();
      let context = snapshot(store);
      for (const step of steps) {
        const { push } = store.apply(batch(changeOf(step)));
        const next = snapshot(store, context);
        const changedHosts = new Set(
          [...next.endpoints.entries(), ...context.endpoints.entries()]
            .filter(([host]) => next.endpoints.get(host) !== context.endpoints.get(host))
            .map(([host]) => host),
        );
        for (const key of changedHosts) t.true(push?.endpoints.has(key.split('/')[0] as string));
        if (push?.full !== true) t.is(next.services, context.services);
        context = next;
      }
    }),
    { numRuns: 150 },
  );
});
