import test from 'ava';
import { DeltaSidecar } from '../../../bench/client/delta-sidecar.js';
import type { ClientExpectation } from '../../../bench/client/expectation.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { shortTypeName, TypeUrl } from '../../../src/envoy/type-urls.js';

const EXTENSIONS = 'type.googleapis.com/envoy.extensions.filters.network';
const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);

interface Request {
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  readonly initialResourceVersions: Readonly<Record<string, string>>;
}

/** A sidecar whose requests are decoded to short words: nonce, `+` and `-` names, versions. */
function createSidecar(expectation: ClientExpectation = { kind: 'sync' }) {
  const sent: string[] = [];
  let completed = 0;
  let counter = 0;
  const request = registry.type('envoy.service.discovery.v3.DeltaDiscoveryRequest');
  const sidecar = new DeltaSidecar(Buffer.from([0x0a, 0x02, 0x69, 0x64]), {
    send: (bytes) => {
      const message = request.toObject(request.decode(bytes), { defaults: true }) as unknown as Request;
      const words = [
        shortTypeName(message.typeUrl),
        message.responseNonce,
        ...message.resourceNamesSubscribe.map((name) => `+${name}`),
        ...message.resourceNamesUnsubscribe.map((name) => `-${name}`),
        ...Object.entries(message.initialResourceVersions)
          .map((entry) => entry.join('='))
          .sort(),
      ];
      sent.push(words.filter((word) => word !== '').join(' '));
    },
    completed: () => {
      completed += 1;
    },
    received: () => {},
  });
  const answer = (typeUrl: string, resources: Readonly<Record<string, object>>, removedResources: string[] = []) => {
    counter += 1;
    sidecar.receive(
      encoder.encode('envoy.service.discovery.v3.DeltaDiscoveryResponse', {
        nonce: `n${counter}`,
        typeUrl,
        removedResources,
        resources: Object.entries(resources).map(([name, resource]) => ({
          name,
          version: `v${counter}`,
          resource: encoder.packAny(typeUrl, resource),
        })),
      }),
    );
  };
  sidecar.beginPhase(expectation);
  return { sidecar, sent, answer, completed: () => completed };
}

const cluster = (name: string) => ({ name, type: 'EDS', edsClusterConfig: { serviceName: name } });

test('a delta sidecar asks for everything in the order of Envoy, and is done when every name is answered', (t) => {
  const { sidecar, sent, answer, completed } = createSidecar();
  sidecar.start();
  answer(TypeUrl.cluster, { a: cluster('a'), b: cluster('b') });
  answer(TypeUrl.endpoint, { a: { clusterName: 'a' } });
  t.is(completed(), 0);
  t.is(
    sidecar.describeWaiting(),
    'eds (1 of 2 resources), lds (not yet asked for), rds (not yet asked for), vhds (not yet asked for)',
  );
  answer(TypeUrl.endpoint, {}, ['b']);
  answer(TypeUrl.listener, {});
  t.is(completed(), 1);
  t.deepEqual(sent, ['cds', 'cds n1', 'eds +a +b', 'eds n2', 'eds n3', 'lds', 'lds n4']);
});

test('a delta sidecar drops the endpoints of clusters that are removed', (t) => {
  const { sidecar, sent, answer } = createSidecar();
  sidecar.start();
  answer(TypeUrl.cluster, { a: cluster('a'), b: cluster('b') });
  answer(TypeUrl.cluster, {}, ['b']);
  t.is(sent.at(-1), 'eds -b');
});

test('a delta sidecar that reconnects tells the versions of what it has, all but one assignment', (t) => {
  const { sidecar, sent, answer, completed } = createSidecar();
  sidecar.start();
  answer(TypeUrl.cluster, { a: cluster('a'), b: cluster('b') });
  answer(TypeUrl.endpoint, { a: { clusterName: 'a' }, b: { clusterName: 'b' } });
  answer(TypeUrl.listener, {});
  sidecar.beginPhase({ kind: 'sync' });
  sent.length = 0;
  sidecar.resume(0);
  t.deepEqual(sent, ['cds a=v1 b=v1', 'eds +a +b b=v2', 'lds']);
  t.is(completed(), 1);
  answer(TypeUrl.endpoint, { a: { clusterName: 'a' } });
  t.is(completed(), 2);
});

test('a delta sidecar asks once for virtual hosts, when a route table lets it, and waits for them', (t) => {
  const { sidecar, sent, answer, completed } = createSidecar();
  const manager = `${EXTENSIONS}.http_connection_manager.v3.HttpConnectionManager`;
  const filterOf = (table: string) => ({
    name: table,
    typedConfig: encoder.packAny(manager, { rds: { routeConfigName: table, configSource: { ads: {} } } }),
  });
  sidecar.start();
  answer(TypeUrl.cluster, {});
  answer(TypeUrl.listener, { one: { name: 'one', filterChains: [{ filters: [filterOf('80'), filterOf('81')] }] } });
  const vhds = { configSource: { ads: {} } };
  answer(TypeUrl.route, { '80': { name: '80', vhds }, '81': { name: '81', vhds } });
  t.is(completed(), 0);
  answer(TypeUrl.virtualHost, { '80/web': { name: '80/web', domains: ['web'] } });
  t.is(completed(), 1);
  answer(TypeUrl.route, { '80': { name: '80', vhds } });
  t.is(sent.filter((request) => request === 'vhds').length, 1);
});
