import test from 'ava';
import { encodeDiscoveryRequest, encodeResourceNames, readRequestType } from '../../../bench/wire/discovery-request.js';
import { readResponseHead } from '../../../bench/wire/discovery-response.js';
import { encodeNode } from '../../../bench/wire/node-message.js';
import { readEndpointNames, readResourceNames, readRouteNames } from '../../../bench/wire/resource-names.js';
import { WireReader } from '../../../bench/wire/wire-reader.js';
import { createMessageEncoder } from '../../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import fc from '../../support/property-testing.js';

const registry = loadProtoRegistry();
const encoder = createMessageEncoder(registry);
const HTTP_CONNECTION_MANAGER =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const TCP_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';

function encodeResponse(typeUrl: string, resources: readonly object[]): Buffer {
  return encoder.encode('envoy.service.discovery.v3.DiscoveryResponse', {
    versionInfo: 'version-1',
    typeUrl,
    nonce: 'nonce-1',
    controlPlane: { identifier: 'somebody' },
    resources: resources.map((resource) => encoder.packAny(typeUrl, resource)),
  });
}

function httpFilter(routeConfigName: string): object {
  const rds = { configSource: { ads: {}, resourceApiVersion: 'V3' }, routeConfigName };
  return { name: 'http', typedConfig: encoder.packAny(HTTP_CONNECTION_MANAGER, { statPrefix: 's', rds }) };
}

test('the head of a response is read and its resources are counted', (t) => {
  const response = encodeResponse(TypeUrl.cluster, [{ name: 'a' }, { name: 'b' }]);
  t.deepEqual(readResponseHead(response), {
    versionInfo: 'version-1',
    typeUrl: TypeUrl.cluster,
    nonce: 'nonce-1',
    resourceCount: 2,
  });
});

test('only EDS clusters need assignments, by service name if there is one', (t) => {
  const response = encodeResponse(TypeUrl.cluster, [
    { name: 'with', type: 'EDS', edsClusterConfig: { serviceName: 'other' }, connectTimeout: { seconds: 10 } },
    { name: 'without', type: 'EDS', edsClusterConfig: {} },
    { name: 'static', type: 'STATIC' },
    { name: 'dns', type: 'STRICT_DNS' },
    { name: 'unset' },
    { name: 'again', type: 'EDS', edsClusterConfig: { serviceName: 'other' } },
  ]);
  t.deepEqual(readEndpointNames(response), ['other', 'without']);
});

test('route names are found in filter chains and default chains of HTTP connection managers, once each', (t) => {
  const tcp = {
    name: 'tcp',
    typedConfig: encoder.packAny(TCP_PROXY, { statPrefix: 's', cluster: 'c' }),
  };
  const inline = {
    name: 'http',
    typedConfig: encoder.packAny(HTTP_CONNECTION_MANAGER, { statPrefix: 's', routeConfig: { name: 'inline' } }),
  };
  const response = encodeResponse(TypeUrl.listener, [
    { name: 'one', filterChains: [{ filters: [tcp] }, { filters: [httpFilter('80')] }] },
    { name: 'two', filterChains: [{ filters: [inline] }], defaultFilterChain: { filters: [httpFilter('8080')] } },
    { name: 'three', filterChains: [{ filters: [httpFilter('80')] }] },
    { name: 'four' },
  ]);
  t.deepEqual(readRouteNames(response), ['80', '8080']);
});

test('names of assignments and of route tables are read', (t) => {
  const assignments = encodeResponse(TypeUrl.endpoint, [{ clusterName: 'a', endpoints: [{}] }, { clusterName: 'b' }]);
  t.deepEqual(readResourceNames(assignments), ['a', 'b']);
  t.deepEqual(readResourceNames(encodeResponse(TypeUrl.route, [{ name: '80', virtualHosts: [] }])), ['80']);
});

test('a full protobuf library reads the same fields from a request', (t) => {
  const type = registry.type('envoy.service.discovery.v3.DiscoveryRequest');
  const node = encodeNode({
    id: 'sidecar~10.1.0.1~a.b~b.svc.cluster.local',
    cluster: 'a.b',
    metadata: { NAMESPACE: 'b', LABELS: { app: 'a' } },
  });
  const bytes = encodeDiscoveryRequest({
    typeUrl: TypeUrl.endpoint,
    node,
    versionInfo: 'v1',
    responseNonce: 'n1',
    resourceNames: encodeResourceNames(['x', 'y']),
  });
  t.like(type.toObject(type.decode(bytes)), {
    typeUrl: TypeUrl.endpoint,
    versionInfo: 'v1',
    responseNonce: 'n1',
    resourceNames: ['x', 'y'],
    node: {
      id: 'sidecar~10.1.0.1~a.b~b.svc.cluster.local',
      cluster: 'a.b',
      metadata: {
        fields: {
          NAMESPACE: { stringValue: 'b' },
          LABELS: { structValue: { fields: { app: { stringValue: 'a' } } } },
        },
      },
    },
  });
  t.is(readRequestType(bytes), TypeUrl.endpoint);
});

test('a first request leaves out what is empty', (t) => {
  const type = registry.type('envoy.service.discovery.v3.DiscoveryRequest');
  const bytes = encodeDiscoveryRequest({
    typeUrl: TypeUrl.cluster,
    versionInfo: '',
    responseNonce: '',
    resourceNames: encodeResourceNames([]),
  });
  t.deepEqual(type.toObject(type.decode(bytes)), { typeUrl: TypeUrl.cluster });
});

test('numbers of every size and fields of every fixed width are skipped', (t) => {
  const value = registry.type('google.protobuf.Value');
  const bytes = Buffer.concat([
    value.encode({ numberValue: 1.5 }).finish(),
    Buffer.from([0x0d, 1, 2, 3, 4]),
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    value.encode({ stringValue: 'last' }).finish(),
  ]);
  const reader = new WireReader(bytes);
  const seen: unknown[] = [];
  while (reader.next()) seen.push([reader.field, reader.varint, reader.text()]);
  t.deepEqual(seen, [
    [2, 0, ''],
    [1, 0, ''],
    [2, 4_294_967_295, ''],
    [3, 0, 'last'],
  ]);
});

test('truncated bytes and other formats are rejected, and no bytes cause an endless read', (t) => {
  const response = encodeResponse(TypeUrl.cluster, [{ name: 'a' }]);
  t.throws(() => readResponseHead(response.subarray(0, response.length - 3)), { instanceOf: RangeError });
  t.throws(() => readResponseHead(Buffer.from([0x0b])), { instanceOf: RangeError, message: /wire type 3/ });
  t.throws(() => readResponseHead(Buffer.from([0x80])), { instanceOf: RangeError, message: /cut off/ });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        readEndpointNames(Buffer.from(bytes));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }),
  );
});
