import test from 'ava';
import type { ClientExpectation } from '../../../bench/client/expectation.js';
import { Sidecar } from '../../../bench/client/sidecar.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { shortTypeName, TypeUrl } from '../../../src/envoy/type-urls.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const HTTP_CONNECTION_MANAGER =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

/** A sidecar whose requests are decoded to short words: `eds v1/n1 a,b`. */
function createSidecar(expectation: ClientExpectation = { kind: 'sync' }) {
  const sent: string[] = [];
  let completed = 0;
  let counter = 0;
  const request = registry.type('envoy.service.discovery.v3.DiscoveryRequest');
  const sidecar = new Sidecar(Buffer.from([0x0a, 0x02, 0x69, 0x64]), {
    send: (bytes) => {
      const message = request.toObject(request.decode(bytes), { defaults: true }) as Record<string, unknown>;
      const names = (message['resourceNames'] as readonly string[]).join(',');
      const type = shortTypeName(String(message['typeUrl']));
      sent.push(`${type} ${message['versionInfo']}/${message['responseNonce']} ${names}`.trim());
    },
    completed: () => {
      completed += 1;
    },
    received: () => {},
  });
  const answer = (typeUrl: string, resources: readonly object[]) => {
    counter += 1;
    sidecar.receive(
      encoder.encode('envoy.service.discovery.v3.DiscoveryResponse', {
        versionInfo: `v${counter}`,
        nonce: `n${counter}`,
        typeUrl,
        resources: resources.map((resource) => encoder.packAny(typeUrl, resource)),
      }),
    );
  };
  sidecar.beginPhase(expectation);
  sidecar.start();
  return { sidecar, sent, answer, completed: () => completed };
}

const eds = (...names: string[]) =>
  names.map((name) => ({ name, type: 'EDS', edsClusterConfig: { serviceName: name } }));
const assignments = (...names: string[]) => names.map((clusterName) => ({ clusterName }));
const listener = (...routes: string[]) =>
  routes.map((routeConfigName) => ({
    name: `0.0.0.0_${routeConfigName}`,
    filterChains: [
      {
        filters: [
          {
            name: 'http',
            typedConfig: encoder.packAny(HTTP_CONNECTION_MANAGER, { statPrefix: 's', rds: { routeConfigName } }),
          },
        ],
      },
    ],
  }));

test('a sidecar requests clusters, their assignments, listeners and their routes in turn, and acknowledges each', (t) => {
  const { sent, answer, completed } = createSidecar();
  answer(TypeUrl.cluster, eds('a', 'b'));
  answer(TypeUrl.endpoint, assignments('a', 'b'));
  answer(TypeUrl.listener, listener('80'));
  t.is(completed(), 0);
  answer(TypeUrl.route, [{ name: '80' }]);
  t.is(completed(), 1);
  t.deepEqual(sent, [
    'cds /',
    'cds v1/n1',
    'eds / a,b',
    'eds v2/n2 a,b',
    'lds /',
    'lds v3/n3',
    'rds / 80',
    'rds v4/n4 80',
  ]);
});

test('clusters that appear are followed by a request with the full new list', (t) => {
  const { sent, answer } = createSidecar();
  answer(TypeUrl.cluster, eds('a'));
  answer(TypeUrl.endpoint, assignments('a'));
  sent.length = 0;
  answer(TypeUrl.cluster, eds('a', 'b'));
  t.deepEqual(sent, ['cds v3/n3', 'eds v2/n2 a,b']);
});

test('unchanged clusters are only acknowledged', (t) => {
  const { sent, answer } = createSidecar();
  answer(TypeUrl.cluster, eds('a'));
  sent.length = 0;
  answer(TypeUrl.cluster, eds('a'));
  t.deepEqual(sent, ['cds v2/n2']);
});

test('a sync is complete only when every requested assignment has arrived, in any number of responses', (t) => {
  const { sidecar, sent, answer, completed } = createSidecar();
  answer(TypeUrl.cluster, eds('a', 'b', 'c'));
  answer(TypeUrl.endpoint, assignments('a'));
  answer(TypeUrl.endpoint, assignments('a', 'c'));
  t.regex(sidecar.describeWaiting(), /eds \(2 of 3 resources\)/);
  t.false(sent.some((request) => request.startsWith('lds')));
  answer(TypeUrl.endpoint, assignments('b'));
  answer(TypeUrl.listener, []);
  t.is(completed(), 1);
});

test('without EDS clusters or RDS listeners, no request without names is sent', (t) => {
  const { sent, answer, completed } = createSidecar();
  answer(TypeUrl.cluster, [{ name: 'static', type: 'STATIC' }]);
  answer(TypeUrl.listener, [{ name: 'tcp' }]);
  t.deepEqual(sent, ['cds /', 'cds v1/n1', 'lds /', 'lds v2/n2']);
  t.is(completed(), 1);
});

test('a change has arrived when each marker was seen in a response of its own type', (t) => {
  const { sidecar, answer, completed } = createSidecar();
  answer(TypeUrl.cluster, eds('a'));
  answer(TypeUrl.endpoint, assignments('a'));
  answer(TypeUrl.listener, []);
  t.is(completed(), 1);
  sidecar.beginPhase({
    kind: 'change',
    markers: [
      { typeUrl: TypeUrl.cluster, text: 'new' },
      { typeUrl: TypeUrl.endpoint, text: 'new' },
    ],
  });
  answer(TypeUrl.cluster, eds('a', 'new'));
  t.is(completed(), 1);
  t.is(sidecar.describeWaiting(), '"new" in eds');
  answer(TypeUrl.endpoint, assignments('new'));
  answer(TypeUrl.endpoint, assignments('new'));
  t.is(completed(), 2);
});

test('records distinguish pushes from answers, counted within the phase', (t) => {
  const { sidecar, answer } = createSidecar();
  answer(TypeUrl.cluster, eds('a'));
  answer(TypeUrl.endpoint, assignments('a'));
  const marker = { typeUrl: TypeUrl.endpoint, text: 'never' };
  t.deepEqual(
    sidecar.recorded.map(({ afterRequests }) => afterRequests),
    [1, 1],
  );
  sidecar.beginPhase({ kind: 'change', markers: [marker] });
  answer(TypeUrl.cluster, eds('a', 'b'));
  answer(TypeUrl.endpoint, assignments('b'));
  t.deepEqual(
    sidecar.recorded.map(({ typeUrl, afterRequests }) => [shortTypeName(typeUrl), afterRequests]),
    [
      ['cds', 0],
      ['eds', 1],
    ],
  );
});

test('a response of an unrequested type is an error', (t) => {
  const { answer } = createSidecar();
  t.throws(() => answer(TypeUrl.route, []), { instanceOf: RangeError, message: /was not asked for/ });
});
