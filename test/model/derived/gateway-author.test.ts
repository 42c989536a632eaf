import test from 'ava';
import type { GatewaySpec } from '../../../src/config/networking/gateway.js';
import type { MeshObject } from '../../../src/config/object.js';
import { createGatewayIndexer } from '../../../src/model/gateways/gateway-index.js';
import { mergeServers } from '../../../src/model/gateways/merge-servers.js';

function gateway(name: string, hosts: readonly string[], created: string, from?: string): MeshObject {
  const body: GatewaySpec = {
    servers: [{ port: { number: 80, protocol: 'HTTP', name: 'http' }, hosts }],
    selector: {},
  };
  return {
    kind: 'Gateway',
    apiVersion: 'networking.mesh.internal/v1beta1',
    metadata: {
      namespace: 'mesh-system',
      name,
      labels: {},
      annotations: {},
      resourceVersion: '1',
      creationTimestamp: created,
    },
    body,
    ...(from === undefined ? {} : { derivedFrom: [from] as const }),
  };
}

test('a Gateway that comes of a tenant’s object is not trusted more than the tenant, although it is in the namespace of the router', (t) => {
  const objects = new Map([
    ['a', gateway('tenant', ['*/admin.example.com'], '2026-01-01T00:00:00Z', 'Ingress/evil/front')],
    ['b', gateway('operator', ['mesh-system/admin.example.com'], '2026-01-02T00:00:00Z')],
  ]);
  const source = { objects: new Map([['Gateway', objects]]), mesh: { rootNamespace: 'mesh-system' } };
  const router = { namespace: 'mesh-system', labels: {}, onlyOwnNamespace: true };
  const selected = createGatewayIndexer()(source).of(router);
  t.is(selected.trusted, 1);
  t.deepEqual(
    selected.gateways.map(({ id }) => id),
    ['mesh-system/operator', 'mesh-system/tenant'],
  );
  const { conflicts, ports } = mergeServers(selected, []);
  t.deepEqual(
    ports.flatMap(({ servers }) => servers.map(({ gateway: id }) => id)),
    ['mesh-system/operator'],
  );
  t.is(conflicts.length, 1);
});
