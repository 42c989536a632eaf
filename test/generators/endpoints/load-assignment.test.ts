import test from 'ava';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { createMessageJson } from '../../../src/envoy/message-json.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { buildLoadAssignment, type LoadTarget } from '../../../src/generators/endpoints/load-assignment.js';
import fc from '../../support/property-testing.js';
import { buildEndpoint } from '../context-builder.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const json = createMessageJson(registry);

function assignmentJson(targets: readonly Partial<LoadTarget>[]): unknown {
  const message = buildLoadAssignment('a', targets.map(buildEndpoint));
  const exact = encoder.encodeExactResource(TypeUrl.endpoint, 'a', message);
  const converted = encoder.encodeResource(TypeUrl.endpoint, 'a', message);
  if (exact.version !== converted.version) throw new Error('the message is not exact');
  return json.resourceToJson(exact);
}

function lbEndpoint(address: string, fields: object = {}): object {
  return { endpoint: { address: { socketAddress: { address, portValue: 8080 } } }, ...fields, loadBalancingWeight: 1 };
}

test('without endpoints there is an assignment all the same', (t) => {
  t.deepEqual(assignmentJson([]), { '@type': TypeUrl.endpoint, clusterName: 'a' });
});

test('endpoints are grouped by locality, and localities carry the sum of their weights', (t) => {
  t.like(
    assignmentJson([
      { address: '10.0.0.2', locality: 'r1/z2' },
      { address: '10.0.0.3', locality: 'r1/z1/s1' },
      { address: '10.0.0.1', locality: 'r1/z2', weight: 4 },
      { address: '10.0.0.4' },
    ]),
    {
      endpoints: [
        { lbEndpoints: [lbEndpoint('10.0.0.4')], loadBalancingWeight: 1 },
        {
          locality: { region: 'r1', zone: 'z1', subZone: 's1' },
          lbEndpoints: [lbEndpoint('10.0.0.3')],
          loadBalancingWeight: 1,
        },
        {
          locality: { region: 'r1', zone: 'z2' },
          lbEndpoints: [{ ...lbEndpoint('10.0.0.1'), loadBalancingWeight: 4 }, lbEndpoint('10.0.0.2')],
          loadBalancingWeight: 5,
        },
      ],
    },
  );
});

test('an endpoint that is not healthy is sent as such', (t) => {
  t.like(assignmentJson([{ health: 'unhealthy' }, { address: '10.0.0.2', health: 'draining' }]), {
    endpoints: [
      {
        lbEndpoints: [
          lbEndpoint('10.0.0.1', { healthStatus: 'UNHEALTHY' }),
          lbEndpoint('10.0.0.2', { healthStatus: 'DRAINING' }),
        ],
      },
    ],
  });
});

test('an endpoint tells its network, and that it takes mutual TLS', (t) => {
  t.like(
    assignmentJson([
      { network: 'n1', tlsMode: 'mesh' },
      { address: '10.0.0.2', network: 'n2' },
    ]),
    {
      endpoints: [
        {
          lbEndpoints: [
            lbEndpoint('10.0.0.1', {
              metadata: {
                filterMetadata: { 'envoy.transport_socket_match': { tlsMode: 'mesh' }, mesh: { network: 'n1' } },
              },
            }),
            lbEndpoint('10.0.0.2', { metadata: { filterMetadata: { mesh: { network: 'n2' } } } }),
          ],
        },
      ],
    },
  );
});

test('an endpoint on a unix socket is a pipe', (t) => {
  t.like(assignmentJson([{ address: 'unix:///var/run/app.sock', port: 0 }]), {
    endpoints: [{ lbEndpoints: [{ endpoint: { address: { pipe: { path: '/var/run/app.sock' } } } }] }],
  });
});

test('an address that is listed twice is sent once, in its healthiest state', (t) => {
  t.like(assignmentJson([{ health: 'unhealthy' }, { health: 'healthy', locality: 'r1' }, { health: 'draining' }]), {
    endpoints: [{ locality: { region: 'r1' }, lbEndpoints: [lbEndpoint('10.0.0.1')] }],
  });
});

test('the order in which endpoints are known makes no difference', (t) => {
  const target = fc.record({
    address: fc.constantFrom('10.0.0.1', 'fd00::1', 'unix:///a'),
    port: fc.constantFrom(80),
    health: fc.constantFrom('healthy' as const, 'unhealthy' as const, 'draining' as const),
    locality: fc.constantFrom('', 'r1', 'r1/z1', 'r2/z1/s1'),
    network: fc.constantFrom('', 'n1'),
    weight: fc.integer({ min: 1, max: 2 }),
    tlsMode: fc.constantFrom('mesh' as const, 'disabled' as const),
  });
  const shuffled = fc.array(target, { maxLength: 8 }).chain((list) => {
    return fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }));
  });
  t.notThrows(() =>
    fc.assert(fc.property(shuffled, ([first, second]) => t.deepEqual(assignmentJson(first), assignmentJson(second)))),
  );
});
